/* Owns the values of the options: parsing by type, limits, and which source wins. What options
 * there are stands in settings.def; how a command line is read, in cli.c. */
#include "common/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ladder.h"
#include "common/units.h"

const struct setting_spec setting_specs[SETTINGS_COUNT] = {
#define SETTING(id, name, letter, type, commands, minimum, maximum, default_text, metavar, xml,    \
                help)                                                                              \
    [SET_##id] = {name,    letter,       SETTING_##type, commands, minimum,                        \
                  maximum, default_text, metavar,        xml,      help},
#include "common/settings.def"
#undef SETTING
};

/* How the user wrote the option: what a message begins with. */
static const char *
written_name(const struct setting_spec *spec, enum setting_source source)
{
    const char *attribute = strchr(spec->xml, '@');

    return source == SETTING_PROFILE && attribute ? attribute + 1 : spec->name;
}

static bool
check_range(const struct setting_spec *spec, const char *text, int64_t number, struct err *err)
{
    char limit[UNITS_TEXT_SIZE];

    if (number < spec->minimum)
        return err_set(err, ERR_USAGE, "\"%s\" is below %s", text,
                       settings_limit(limit, spec, spec->minimum));
    if (number > spec->maximum)
        return err_set(err, ERR_USAGE, "\"%s\" is above %s", text,
                       settings_limit(limit, spec, spec->maximum));
    return true;
}

char *
settings_limit(char text[UNITS_TEXT_SIZE], const struct setting_spec *spec, int64_t limit)
{
    if (spec->type == SETTING_DURATION)
        return units_exact_duration(text, limit);
    if (spec->type == SETTING_SIZE)
        return units_exact_size(text, limit);
    if (spec->type == SETTING_SHARE) {
        snprintf(text, UNITS_TEXT_SIZE, "%g%%", (double)limit / 1000);
        return text;
    }
    return units_exact_int(text, limit);
}

static bool
parse_flag(const char *text, int64_t *number, struct err *err)
{
    *number = strcmp(text, "true") == 0;
    if (*number == 0 && strcmp(text, "false") != 0)
        return err_set(err, ERR_USAGE, "\"%s\" is neither true nor false", text);
    return true;
}

/* Never names the value: it may be a connection string. */
static bool
check_text(const struct setting_spec *spec, const char *text, struct err *err)
{
    size_t length = strlen(text);

    if (length == 0 && spec->minimum > 0)
        return err_set(err, ERR_USAGE, "the value is empty");
    if (length > (size_t)spec->maximum)
        return err_set(err, ERR_USAGE, "the value is longer than %lld bytes",
                       (long long)spec->maximum);
    return true;
}

static bool
parse_choice(const struct setting_spec *spec, const char *text, int64_t *number, struct err *err)
{
    const char *choice = spec->metavar;

    for (*number = 0;; (*number)++) {
        size_t length = strcspn(choice, "|");
        if (strlen(text) == length && strncmp(text, choice, length) == 0)
            return true;
        if (choice[length] == '\0')
            break;
        choice += length + 1;
    }
    err_set(err, ERR_USAGE, "\"%s\" is not a choice", text);
    err_hint(err, "one of %s", spec->metavar);
    return false;
}

static bool
parse_list(const struct setting_spec *spec, const char *text, struct setting_value *value,
           struct err *err)
{
    static const char separators[] = " ,\t\r\n";
    char item[UNITS_TEXT_SIZE];

    value->list_count = 0;
    for (const char *p = text + strspn(text, separators); *p; p += strspn(p, separators)) {
        size_t length = strcspn(p, separators);
        if (value->list_count == SETTINGS_LIST_MAX)
            return err_set(err, ERR_USAGE, "the list has more than %d numbers", SETTINGS_LIST_MAX);
        if (length >= sizeof item)
            return err_set(err, ERR_USAGE, "\"%.*s\" is not a whole number", (int)length, p);
        memcpy(item, p, length);
        item[length] = '\0';
        int64_t *number = &value->list[value->list_count++];
        if (!units_parse_int(item, number, err) || !check_range(spec, item, *number, err))
            return false;
        p += length;
    }
    if (value->list_count == 0)
        return err_set(err, ERR_USAGE, "the list is empty");
    return true;
}

static bool
parse_mix(const char *text, struct setting_value *value, struct err *err)
{
    static const struct setting_spec weight = {.type = SETTING_LIST, .maximum = 100};
    static const struct {
        const char *name;
        const int *weights;
    } named[] = {{"standard", mix_standard}, {"deck", mix_deck}, {"read-only", mix_read_only}};
    int64_t sum = 0;

    for (int probe = (int)TXN_STANDARD; probe < TXN_TYPES; probe++)
        if (strcmp(text, txn_names[probe]) == 0) {
            value->list[probe] = 100;
            value->list_count = TXN_TYPES;
            return true;
        }
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (strcmp(text, named[i].name) != 0)
            continue;
        for (int type = 0; type < TXN_TYPES; type++)
            value->list[type] = named[i].weights[type];
        value->list_count = TXN_TYPES;
        return true;
    }
    if ((*text >= 'A' && *text <= 'Z') || (*text >= 'a' && *text <= 'z'))
        return err_set(err, ERR_USAGE,
                       "\"%s\" is neither standard nor deck, read-only, lookup, insert, null"
                       " nor five weights such as 45,43,4,4,4",
                       text);
    if (!parse_list(&weight, text, value, err))
        return false;
    if (value->list_count != TXN_STANDARD)
        return err_set(err, ERR_USAGE, "\"%s\" has %d weights instead of %d", text,
                       value->list_count, TXN_STANDARD);
    for (int i = 0; i < TXN_STANDARD; i++)
        sum += value->list[i];
    if (sum != 100)
        return err_set(err, ERR_USAGE, "\"%s\" sums to %lld instead of 100", text, (long long)sum);
    return true;
}

/* Up to three decimals, in thousandths, and then `end`. */
static bool
parse_thousandths(const char *text, const char *end, int64_t *number)
{
    size_t whole = strspn(text, "0123456789");
    size_t decimals = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    size_t length = whole + (text[whole] == '.') + decimals;

    if (strcmp(text + length, end) != 0 || whole < 1 || whole > 4 || decimals > 3 ||
        text[length - 1] == '.')
        return false;
    *number = llround(strtod(text, NULL) * 1000);
    return true;
}

static bool
parse_share(const struct setting_spec *spec, const char *text, int64_t *number, struct err *err)
{
    if (!parse_thousandths(text, "%", number))
        return err_set(err, ERR_USAGE, "\"%s\" is not a share such as 1%% or 0.5%%", text);
    return check_range(spec, text, *number, err);
}

static bool
parse_pacing(const char *text, int64_t *number, struct err *err)
{
    *number = strcmp(text, "standard") == 0 ? 1000 : 0;
    if (*number > 0 || strcmp(text, "none") == 0)
        return true;
    if (!parse_thousandths(text, "", number))
        return err_set(err, ERR_USAGE,
                       "\"%s\" is neither none nor standard nor a factor such as 0.1", text);
    return (*number >= 1 && *number <= 1000000) ||
           err_set(err, ERR_USAGE, "\"%s\" is outside 0.001 to 1000", text);
}

static bool parse_value(const struct setting_spec *spec, const char *text,
                        struct setting_value *value, struct err *err);

/* The option that a sweep goes through: "sweep@mix" is one of SET_MIX. */
static const struct setting_spec *
swept(const struct setting_spec *spec)
{
    int id = settings_find(strchr(spec->xml, '@') + 1);

    must(id >= 0);
    return &setting_specs[id];
}

/* Cuts off the next word; NULL at the end. */
static const char *
next_word(const char **text, size_t *length)
{
    static const char blanks[] = " \t\r\n";
    const char *word = *text + strspn(*text, blanks);

    *length = strcspn(word, blanks);
    *text = word + *length;
    return *length ? word : NULL;
}

static bool
parse_sweep(const struct setting_spec *spec, const char *text, struct setting_value *value,
            struct err *err)
{
    struct setting_value ignored = {0};
    char item[UNITS_TEXT_SIZE];
    const char *word;
    size_t length;

    value->list_count = 0;
    while ((word = next_word(&text, &length))) {
        if (length >= sizeof item)
            return err_set(err, ERR_USAGE, "\"%.*s\" is too long a value", (int)sizeof item, word);
        memcpy(item, word, length);
        item[length] = '\0';
        if (++value->list_count > SETTINGS_LIST_MAX)
            return err_set(err, ERR_USAGE, "the list has more than %d values", SETTINGS_LIST_MAX);
        if (!parse_value(swept(spec), item, &ignored, err))
            return false;
    }
    return value->list_count > 0 || err_set(err, ERR_USAGE, "the list is empty");
}

static bool
parse_value(const struct setting_spec *spec, const char *text, struct setting_value *value,
            struct err *err)
{
    int64_t *number = &value->number;

    switch (spec->type) {
    case SETTING_FLAG: return parse_flag(text, number, err);
    case SETTING_INT:
        return units_parse_int(text, number, err) && check_range(spec, text, *number, err);
    case SETTING_DURATION:
        return units_parse_duration(text, number, err) && check_range(spec, text, *number, err);
    case SETTING_SIZE:
        return units_parse_size(text, number, err) && check_range(spec, text, *number, err);
    case SETTING_TEXT: return check_text(spec, text, err);
    case SETTING_CHOICE: return parse_choice(spec, text, number, err);
    case SETTING_LIST:
        return ladder_parse(text, spec->minimum, spec->maximum, value->list, SETTINGS_LIST_MAX,
                            &value->list_count, err);
    case SETTING_MIX: return parse_mix(text, value, err);
    case SETTING_PACING: return parse_pacing(text, number, err);
    case SETTING_SHARE: return parse_share(spec, text, number, err);
    case SETTING_SWEEP: return parse_sweep(spec, text, value, err);
    }
    must(!"a type of setting that exists");
    return false;
}

static bool
add_override(struct settings *settings, const char *text, struct err *err)
{
    if (text[0] == '=' || !strchr(text, '='))
        return err_set(err, ERR_USAGE, "\"%s\" is not of the form NAME=VALUE", text);
    if (settings->overrides_count == SETTINGS_LIST_MAX)
        return err_set(err, ERR_USAGE, "given more than %d times", SETTINGS_LIST_MAX);
    settings->overrides[settings->overrides_count++] = arena_strdup(&settings->arena, text);
    return true;
}

bool
settings_set(struct settings *settings, enum setting_id id, const char *text,
             enum setting_source source, struct err *err)
{
    must(id < SETTINGS_COUNT && source != SETTING_UNSET);
    const struct setting_spec *spec = &setting_specs[id];
    struct setting_value *value = &settings->values[id];
    struct setting_value parsed = {.source = source};

    if (!parse_value(spec, text, &parsed, err) ||
        (id == SET_SET && !add_override(settings, text, err)))
        return err_prefix(err, "%s%s", source == SETTING_OPTION ? "--" : "",
                          written_name(spec, source));
    if (source < value->source)
        return true;
    parsed.text = arena_strdup(&settings->arena, text);
    *value = parsed;
    return true;
}

void
settings_init(struct settings *settings)
{
    struct err err;

    *settings = (struct settings){0};
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const char *text = setting_specs[id].default_text;
        if (text[0])
            must(settings_set(settings, (enum setting_id)id, text, SETTING_DEFAULT, &err));
    }
}

void
settings_free(struct settings *settings)
{
    arena_free(&settings->arena);
}

void
settings_copy(struct settings *to, const struct settings *from)
{
    *to = *from;
    to->arena = (struct arena){0};
}

int
settings_find(const char *name)
{
    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const struct setting_spec *spec = &setting_specs[id];
        if (strcmp(spec->name, name) == 0 || (spec->xml[0] && strcmp(spec->xml, name) == 0))
            return id;
    }
    return -1;
}

int
settings_find_xml(const char *element, const char *attribute)
{
    size_t length = strlen(element);

    for (int id = 0; id < SETTINGS_COUNT; id++) {
        const char *xml = setting_specs[id].xml;
        if (strncmp(xml, element, length) == 0 && xml[length] == '@' &&
            strcmp(xml + length + 1, attribute) == 0)
            return id;
    }
    return -1;
}

static const struct setting_value *
get(const struct settings *settings, enum setting_id id)
{
    must(id < SETTINGS_COUNT);
    return &settings->values[id];
}

static const struct setting_value *
get_set(const struct settings *settings, enum setting_id id)
{
    const struct setting_value *value = get(settings, id);

    must(value->source != SETTING_UNSET);
    return value;
}

bool
settings_is_set(const struct settings *settings, enum setting_id id)
{
    return get(settings, id)->source != SETTING_UNSET;
}

bool
settings_flag(const struct settings *settings, enum setting_id id)
{
    must(setting_specs[id].type == SETTING_FLAG);
    return get(settings, id)->number != 0;
}

int64_t
settings_int(const struct settings *settings, enum setting_id id)
{
    return get_set(settings, id)->number;
}

int64_t
settings_us(const struct settings *settings, enum setting_id id)
{
    must(setting_specs[id].type == SETTING_DURATION);
    return get_set(settings, id)->number;
}

const char *
settings_text(const struct settings *settings, enum setting_id id)
{
    return get(settings, id)->text;
}

const char *
settings_choice(const struct settings *settings, enum setting_id id)
{
    must(setting_specs[id].type == SETTING_CHOICE);
    return get(settings, id)->text;
}

int
settings_list(const struct settings *settings, enum setting_id id, const int64_t **values)
{
    const struct setting_value *value = get_set(settings, id);

    *values = value->list;
    return value->list_count;
}

int
settings_sweep(const struct settings *settings, enum setting_id id, struct arena *arena,
               const char *values[SETTINGS_LIST_MAX])
{
    const char *text = get(settings, id)->text, *word;
    int count = 0;
    size_t length;

    must(setting_specs[id].type == SETTING_SWEEP);
    while (text && (word = next_word(&text, &length)))
        values[count++] = arena_printf(arena, "%.*s", (int)length, word);
    return count;
}

double
settings_pacing(const struct settings *settings)
{
    return (double)get_set(settings, SET_PACING)->number / 1000;
}

double
settings_share(const struct settings *settings, enum setting_id id)
{
    must(setting_specs[id].type == SETTING_SHARE);
    return (double)get_set(settings, id)->number / 100000;
}

void
settings_mix(const struct settings *settings, int weights[TXN_TYPES])
{
    const struct setting_value *value = get_set(settings, SET_MIX);

    for (int i = 0; i < TXN_TYPES; i++)
        weights[i] = (int)value->list[i];
}
