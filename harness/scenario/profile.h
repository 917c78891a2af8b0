/*
 * The profiles that there are: the versions of the mesh protocol, and PROFILE_STORE.
 */
#ifndef MESHSPEC_PROFILE_H
#define MESHSPEC_PROFILE_H

#define PROFILE_STORE "store" /* sync stores and provisioners; all other profiles are versions of the mesh protocol */

/* Every profile, oldest version first, PROFILE_STORE last; ended by NULL. */
extern const char *const profiles_known[];

#define PROFILES_KNOWN_COUNT 5
#define PROFILES_KNOWN_WORDS "0.1.0 0.1.1 0.2.0 0.9 store" /* the same, for a command's completion */

/* The number that `proto` carries in a version of the mesh protocol: 3 from 0.9 on, 1 before. 0 for PROFILE_STORE. */
int profile_wire(const char *profile);

#endif
