/* The options of `meshspec run`. */
#include "harness/command/run_options.h"

#include <string.h>

#include "harness/run/suite.h"

enum {
    RUN_TARGET = 1,
    RUN_SPAWN,
    RUN_CA,
    RUN_INSECURE,
    RUN_PROVISIONER,
    RUN_STORE_COMMAND,
    RUN_APP_ID,
    RUN_SECRET_FILE,
    RUN_PROFILE,
    RUN_ONLY,
    RUN_STRICT,
    RUN_KNOWN,
    RUN_RERUN,
    RUN_REAL_TIME,
    RUN_SEED,
    RUN_ROUNDS,
    RUN_COLOUR
};

const struct command_option run_option_list[] = {
    {"target", "TARGET",
     "what is judged (default: memory)\n"
     "  memory         the reference relay, in this process\n"
     "  ws://… wss://  a relay by URL; writer, kind and claims are added to its query\n"
     "  exec:COMMAND   an adapter: a child process that speaks the adapter protocol\n"
     "  FILE.yaml      a target file: how a relay is reached and told who connects; see tools/targets/README.md\n"
     "  store          the local sync store, started for the run, and a provisioner\n"
     "  http://… https://  a sync store by URL, and a provisioner; needs --app-id and --admin-secret-file",
     RUN_TARGET, "memory store ws:// wss:// exec: http:// https:// FILE"},
    {"spawn", "COMMAND",
     "start a server for the run and judge it: the server says `listening URL` on its standard output when it is ready,\n"
     "and is ended with SIGTERM when the run is over; a line `control URL` with it offers options, clock and hydrates",
     RUN_SPAWN, NULL},
    {"ca", "FILE",
     "for wss://: certificates in PEM form of authorities to trust beside the system's. --ca and --insecure take the place\n"
     "of what a target file says about either",
     RUN_CA, "FILE"},
    {"insecure", NULL, "for wss://: take any certificate, be it unknown, expired or somebody else's", RUN_INSECURE, NULL},
    {"provisioner", "COMMAND",
     "the provisioner that is judged with a store: a child process a run, one JSON request in, one JSON answer out\n"
     "(default: meshspec-provision --stdio, beside this program)",
     RUN_PROVISIONER, NULL},
    {"store-command", "COMMAND", "how --target store starts the local store (default: meshspec-store, beside this program)", RUN_STORE_COMMAND, NULL},
    {"app-id", "ID", "the app at a store by URL; {case} in it stands for a part of each case's own", RUN_APP_ID, NULL},
    {"admin-secret-file", "FILE", "a file whose first line is the admin secret of a store by URL", RUN_SECRET_FILE, "FILE"},
    {"profile", "VERSION",
     "the protocol version to judge by (default: the target file's, else 0.2.0); may be given several times. `store` is\n"
     "the one and only profile of stores and provisioners, and their default",
     RUN_PROFILE, PROFILES_KNOWN_WORDS},
    {"only", "GLOB", "only scenarios whose name matches, such as 'join/*'", RUN_ONLY, NULL},
    {"strict", NULL, "a failing SHOULD fails the run", RUN_STRICT, NULL},
    {"known-failing", "FILE",
     "a list of cases that are known to fail, `GLOB: reason` a line; they do not fail the run, but a line that is\n"
     "no longer true does. A target that crashes in the middle of a listed case has failed it; one that cannot be\n"
     "started is an error all the same",
     RUN_KNOWN, "FILE"},
    {"rerun", "N", "run a failing case again N times, to tell a stable failure from a flaky one", RUN_RERUN, NULL},
    {"real-time", NULL, "where the target has no virtual clock, wait up to 5 seconds for the time of `advance` to pass", RUN_REAL_TIME, NULL},
    {"seed", "N", "the seed for the order of racing steps on sockets (default: drawn, and printed with a failure)", RUN_SEED, NULL},
    {"race-rounds", "N", "how often a race is played on a socket (default: 10)", RUN_ROUNDS, NULL},
    REPORTS_OPTIONS,
    {"color", "WHEN", "auto, always or never (default: auto)", RUN_COLOUR, "auto always never"},
    {0}};

const char *run_profile(const char *profile, struct error *error) {
    for (const char *const *known = profiles_known; *known != NULL; known++) {
        if (strcmp(*known, profile) == 0) {
            return *known;
        }
    }
    error_set(error, ERROR_USAGE, "--profile: there is no profile \"%s\"; there are " PROFILES_KNOWN_WORDS, profile);
    return NULL;
}

static bool add_profile(struct run_options *options, const char *profile, struct error *error) {
    const char *found = run_profile(profile, error);
    if (found != NULL && options->profile_count == PROFILES_CEILING) {
        return error_set(error, ERROR_USAGE, "--profile: there are at most %d", PROFILES_CEILING);
    }
    options->profiles[options->profile_count] = found;
    options->profile_count += found != NULL;
    return found != NULL;
}

static bool is_colour(const char *when, struct error *error) {
    return strcmp(when, "auto") == 0 || strcmp(when, "always") == 0 || strcmp(when, "never") == 0 ||
           error_set(error, ERROR_USAGE, "--color takes auto, always or never, not \"%s\"", when);
}

bool run_option_take(void *context, int id, const char *argument, struct error *error) {
    struct run_options *options = context;
    uint64_t number;
    switch (id) {
    case RUN_TARGET:
        options->judged.target = argument;
        return true;
    case RUN_SPAWN:
        options->judged.spawn = argument;
        return argument[strspn(argument, " \t\n")] != '\0' ||
               error_set(error, ERROR_USAGE, "--spawn takes the command that starts the server, and this one is empty");
    case RUN_CA:
        options->judged.trust.ca = argument;
        return true;
    case RUN_INSECURE:
        options->judged.trust.insecure = true;
        return true;
    case RUN_PROVISIONER:
        options->judged.provisioner = argument;
        return true;
    case RUN_STORE_COMMAND:
        options->judged.store_command = argument;
        return true;
    case RUN_APP_ID:
        options->judged.app_id = argument;
        return true;
    case RUN_SECRET_FILE:
        options->judged.secret_file = argument;
        return true;
    case RUN_PROFILE:
        return add_profile(options, argument, error);
    case RUN_ONLY:
        options->only = argument;
        return true;
    case RUN_STRICT:
        options->strict = true;
        return true;
    case RUN_KNOWN:
        options->known = argument;
        return true;
    case RUN_RERUN:
        if (!command_number("rerun", argument, 1, 1000, &number, error)) {
            return false;
        }
        options->rerun = (unsigned)number;
        return true;
    case RUN_REAL_TIME:
        options->real_time = true;
        return true;
    case RUN_SEED:
        options->has_seed = true;
        return command_number("seed", argument, 0, UINT64_MAX, &options->seed, error);
    case RUN_ROUNDS:
        if (!command_number("race-rounds", argument, 1, 10000, &number, error)) {
            return false;
        }
        options->race_rounds = (unsigned)number;
        return true;
    case RUN_COLOUR:
        options->colour = argument;
        return is_colour(argument, error);
    default:
        return reports_take(&options->reports, id, argument, error);
    }
}
