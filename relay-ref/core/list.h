/* A doubly linked list whose links are inside the things that it lists: joining and leaving never need memory. */
#ifndef MESHSPEC_RELAY_LIST_H
#define MESHSPEC_RELAY_LIST_H

#include <stddef.h>

struct list_link {
    struct list_link *previous, *next;
};

struct list {
    struct list_link *first, *last;
};

static inline void relay_list_append(struct list *list, struct list_link *link) {
    link->previous = list->last;
    link->next = NULL;
    if (list->last != NULL)
        list->last->next = link;
    else
        list->first = link;
    list->last = link;
}

static inline void relay_list_remove(struct list *list, struct list_link *link) {
    if (link->previous != NULL)
        link->previous->next = link->next;
    else
        list->first = link->next;
    if (link->next != NULL)
        link->next->previous = link->previous;
    else
        list->last = link->previous;
}

/* Undoes a relay_list_remove of `link`, which must be the latest change to the list. */
static inline void relay_list_restore(struct list *list, struct list_link *link) {
    if (link->previous != NULL)
        link->previous->next = link;
    else
        list->first = link;
    if (link->next != NULL)
        link->next->previous = link;
    else
        list->last = link;
}

#endif
