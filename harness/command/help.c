/* --help, man pages and shell completion, all from the same description of the verbs. */
#include <string.h>

#include "harness/command/command.h"

#define HELP_COLUMN 26 /* where an option's explanation begins */

static const struct command_option help_option = {"help", NULL, "print this text", 1, NULL};

/* ---- plain text ---- */

static void print_indented(FILE *out, const char *text, int column) {
    for (const char *at = text; *at != '\0'; at++) {
        fputc(*at, out);
        if (*at == '\n') {
            fprintf(out, "%*s", column, "");
        }
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const struct command_option *option) {
    char left[64];
    int length = snprintf(left, sizeof left, "  --%s%s%s", option->name, option->argument == NULL ? "" : " ",
                          option->argument == NULL ? "" : option->argument);
    if (length >= HELP_COLUMN) {
        fprintf(out, "%s\n%*s", left, HELP_COLUMN, "");
    } else {
        fprintf(out, "%-*s", HELP_COLUMN, left);
    }
    print_indented(out, option->help, HELP_COLUMN);
}

static void print_lines(FILE *out, const char *title, const char *lines) {
    fprintf(out, "\n%s\n  ", title);
    print_indented(out, lines, 2);
}

void command_print_help(FILE *out, const struct command *command) {
    fprintf(out, "usage: meshspec %s [option…] %s\n\n%s\n\noptions:\n", command->name, command->arguments, command->description);
    for (const struct command_option *option = command->options; option->name != NULL; option++) {
        print_option(out, option);
    }
    print_option(out, &help_option);
    print_lines(out, "exit status:", command->exit_status);
    print_lines(out, "examples:", command->examples);
}

void command_print_overview(FILE *out) {
    fputs("usage: meshspec VERB [option…]\n\nTells whether a mesh relay does what the protocol says, and shows where it does not.\n\n"
          "verbs:\n", out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("\n`meshspec VERB --help` says more about each, with examples.\n", out);
}

/* ---- man pages ---- */

/* Text as roff wants it: no line starts with a control character, backslashes and hyphens are escaped. */
static void print_roff(FILE *out, const char *text) {
    bool line_start = true;
    for (const char *at = text; *at != '\0'; at++) {
        if (line_start && (*at == '.' || *at == '\'')) {
            fputs("\\&", out);
        }
        if (*at == '\\' || *at == '-') {
            fputc('\\', out);
        }
        fputc(*at, out);
        line_start = *at == '\n';
    }
    fputc('\n', out);
}

static void man_option(FILE *out, const struct command_option *option) {
    fprintf(out, ".TP\n\\fB\\-\\-");
    for (const char *at = option->name; *at != '\0'; at++) {
        fprintf(out, "%s%c", *at == '-' ? "\\" : "", *at);
    }
    fprintf(out, "\\fR%s%s%s\n", option->argument == NULL ? "" : " \\fI", option->argument == NULL ? "" : option->argument,
            option->argument == NULL ? "" : "\\fR");
    print_roff(out, option->help);
}

static void man_of_verb(FILE *out, const struct command *command) {
    fprintf(out, ".TH MESHSPEC-%s 1 \"\" \"meshspec %s\"\n.SH NAME\nmeshspec\\-%s \\- ", command->name, MESHSPEC_VERSION, command->name);
    print_roff(out, command->summary);
    fprintf(out, ".SH SYNOPSIS\n\\fBmeshspec %s\\fR [\\fIoption\\fR…] %s\n.SH DESCRIPTION\n", command->name, command->arguments);
    print_roff(out, command->description);
    fputs(".SH OPTIONS\n", out);
    for (const struct command_option *option = command->options; option->name != NULL; option++) {
        man_option(out, option);
    }
    man_option(out, &help_option);
    fputs(".SH EXIT STATUS\n.nf\n", out);
    print_roff(out, command->exit_status);
    fputs(".fi\n.SH EXAMPLES\n.nf\n", out);
    print_roff(out, command->examples);
    fputs(".fi\n", out);
}

void command_print_man(FILE *out, const struct command *command) {
    if (command != NULL) {
        man_of_verb(out, command);
        return;
    }
    fprintf(out, ".TH MESHSPEC 1 \"\" \"meshspec %s\"\n.SH NAME\nmeshspec \\- the conformance suite for mesh relays\n"
                 ".SH SYNOPSIS\n\\fBmeshspec\\fR \\fIVERB\\fR [\\fIoption\\fR…]\n.SH VERBS\n", MESHSPEC_VERSION);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", commands[i]->name);
        print_roff(out, commands[i]->summary);
    }
    fputs(".SH SEE ALSO\n", out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(out, "\\fBmeshspec\\-%s\\fR(1)%s\n", commands[i]->name, commands[i + 1] == NULL ? "" : ",");
    }
}

/* ---- completion ---- */

static void complete_values(FILE *out, const struct command_option *option) {
    if (option->values == NULL) {
        return;
    }
    if (strcmp(option->values, "FILE") == 0) {
        fprintf(out, "      --%s) COMPREPLY=($(compgen -f -- \"$word\")); return;;\n", option->name);
    } else {
        fprintf(out, "      --%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return;;\n", option->name, option->values);
    }
}

static void complete_verb(FILE *out, const struct command *command) {
    fprintf(out, "    %s)\n      case $before in\n", command->name);
    for (const struct command_option *option = command->options; option->name != NULL; option++) {
        complete_values(out, option);
    }
    fputs("      esac\n      options='--help", out);
    for (const struct command_option *option = command->options; option->name != NULL; option++) {
        fprintf(out, " --%s", option->name);
    }
    fputs("';;\n", out);
}

void command_print_completion(FILE *out) {
    fputs("# bash completion for meshspec\n_meshspec() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=\n"
          "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '--help --version", out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(out, " %s", commands[i]->name);
    }
    fputs("' -- \"$word\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n", out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        complete_verb(out, commands[i]);
    }
    fputs("  esac\n  if [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n  else\n"
          "    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\ncomplete -o filenames -F _meshspec meshspec\n", out);
}
