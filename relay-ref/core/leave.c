#include "relay-ref/core/leave.h"

#include "relay-ref/core/frame.h"
#include "relay-ref/core/presence.h"
#include "relay-ref/core/room.h"

static struct relay_frame *member_frame(const struct room *room, struct relay_text origin, bool gone) {
    struct relay_buffer text;
    relay_frame_start(&text, room->item.key.length + origin.length + 64);
    relay_buffer_add_words(&text, "{\"t\":\"member\",\"room\":");
    relay_buffer_add_string(&text, room->item.key);
    relay_buffer_add_words(&text, ",\"origin\":");
    relay_buffer_add_string(&text, origin);
    relay_buffer_add_words(&text, gone ? ",\"gone\":true}" : "}");
    return relay_frame_finish(&text);
}

bool relay_announce_member(const struct room *room, struct relay_text origin, bool gone, const struct member *except) {
    struct relay_frame *frame = member_frame(room, origin, gone);
    if (frame == NULL)
        return false;
    relay_room_broadcast(room, frame, except);
    relay_frame_release(frame);
    return true;
}

/* A frame that memory is out for is left out: a member that goes must go, whatever the others get to see. */
static void tell_presence_gone(const struct member *member) {
    struct relay_frame *frame = relay_presence_gone(member);
    if (frame == NULL)
        return;
    relay_room_broadcast(member->room, frame, member);
    relay_frame_release(frame);
}

/* join.takeover: no `member … gone`, the origin stays in the roster. */
void relay_leave_displaced(struct member *member) {
    tell_presence_gone(member);
    relay_room_leave(member);
}

/* join.rehello: the connection's own order of rooms stays. */
void relay_leave_and_return(struct member *member) {
    tell_presence_gone(member);
    relay_presence_forget(member);
    relay_list_remove(&member->room->roster, &member->in_roster);
    relay_list_append(&member->room->roster, &member->in_roster);
}

/* leave.member-gone, presence.gone, presence.no-entry */
void relay_leave(struct member *member) {
    tell_presence_gone(member);
    relay_announce_member(member->room, member->by_origin.key, true, member);
    relay_room_leave(member);
}
