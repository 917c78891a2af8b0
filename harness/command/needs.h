/*
 * What has to be there before a target can be started.
 */
#ifndef MESHSPEC_NEEDS_H
#define MESHSPEC_NEEDS_H

/*
 * The first of `needs` (ended by NULL) that is not there: a file or folder where it has a slash in it, else a program on the PATH. NULL:
 * all of them are there.
 */
const char *needs_missing(const char *const *needs);

#endif
