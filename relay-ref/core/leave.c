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

bool relay_announce_member(const struct room *room, struct relay_text origin, const struct member *except) {
    struct relay_frame *frame = member_frame(room, origin, false);
    if (frame == NULL)
        return false;
    relay_room_broadcast(room, frame, except);
    relay_frame_release(frame);
    return true;
}

/* A member that goes must go: where memory is out for the word of it, the others are closed rather than left with a
   ghost. */
static void tell_others(const struct member *member, struct relay_frame *frame) {
    if (frame == NULL) {
        relay_room_close(member->room, member);
        return;
    }
    relay_room_broadcast(member->room, frame, member);
    relay_frame_release(frame);
}

/* presence.gone, presence.no-entry */
static void tell_presence_gone(const struct member *member) {
    if (member->presence != NULL)
        tell_others(member, relay_presence_gone(member));
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
    member->joined_as = ++member->room->joins;
}

/* leave.member-gone */
void relay_leave(struct member *member) {
    tell_presence_gone(member);
    tell_others(member, member_frame(member->room, member->by_origin.key, true));
    relay_room_leave(member);
}
