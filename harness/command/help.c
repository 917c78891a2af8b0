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

/* One line as roff wants it: it does not start with a control character, backslashes and hyphens are escaped. */
static void print_roff_line(FILE *out, const char *line, size_t length) {
    if (length > 0 && (line[0] == '.' || line[0] == '\'')) {
        fputs("\\&", out);
    }
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '\\' || line[i] == '-') {
            fputc('\\', out);
        }
        fputc(line[i], out);
    }
    fputc('\n', out);
}

/* Where the blanks between word and meaning begin in an entry of a list, "  WORD  MEANING"; 0 when the line is none. */
static size_t end_of_word(const char *line, size_t length) {
    for (size_t i = 2; length > 2 && line[0] == ' ' && line[1] == ' ' && line[2] != ' ' && i + 2 < length; i++) {
        if (line[i] == ' ' && line[i + 1] == ' ') {
            return i;
        }
    }
    return 0;
}

static void print_roff_entry(FILE *out, const char *line, size_t length, size_t word_end) {
    size_t meaning = word_end + strspn(line + word_end, " ");
    fputs(".TP\n", out);
    print_roff_line(out, line + 2, word_end - 2);
    print_roff_line(out, line + meaning, length - meaning);
}

/* Text as roff wants it. What help shows as a list of words and their meanings is one in the man page, too, so that long meanings stay in their column. */
static void print_roff(FILE *out, const char *text) {
    bool in_list = false;
    for (const char *line = text; line != NULL;) {
        const char *feed = strchr(line, '\n');
        size_t length = feed == NULL ? strlen(line) : (size_t)(feed - line);
        size_t word_end = end_of_word(line, length);
        if ((word_end > 0) != in_list) {
            in_list = !in_list;
            fputs(in_list ? ".RS\n" : ".RE\n", out);
        }
        if (word_end > 0) {
            print_roff_entry(out, line, length, word_end);
        } else {
            print_roff_line(out, line, length);
        }
        line = feed == NULL ? NULL : feed + 1;
    }
    if (in_list) {
        fputs(".RE\n", out);
    }
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
