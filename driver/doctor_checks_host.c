/* Owns what of a host spoils measurements, and the words. */
#include "driver/doctor_checks.h"

#include <string.h>

#include "common/units.h"

#define SPREAD_CAUTION_PERCENT 10
#define SPREAD_SPOILS_PERCENT  30
#define BUSY_PERCENT           10
#define STEAL_PERCENT          1
#define SWAP_PERCENT           1

static bool
is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

static bool
governor(const struct doctor_look *look)
{
    const struct host_facts *host = look->host;
    bool saving = is(host->governor, "powersave");

    return host->slow_governed > 0 &&
           doctor_saw(look, saving ? SEVERITY_SPOILS : SEVERITY_CAUTION,
                      "%d of %d processors have the governor %s", host->slow_governed,
                      host->governed, host->governor);
}

static bool
energy_bias(const struct doctor_look *look)
{
    const struct host_facts *host = look->host;

    return host->saving > 0 &&
           doctor_saw(look, SEVERITY_CAUTION, "%d of %d processors prefer saving energy (%s)",
                      host->saving, host->present, host->preference);
}

static bool
cores_offline(const struct doctor_look *look)
{
    const struct host_facts *host = look->host;

    return host->online > 0 && host->present > host->online &&
           doctor_saw(look, SEVERITY_CAUTION, "%d of %d processors are online", host->online,
                      host->present);
}

/* A quota stops all threads for the rest of each tenth of a second in which it is used up. */
static bool
processor_limit(const struct doctor_look *look)
{
    const struct host_facts *host = look->host;

    if (host->quota > 0 && host->quota < host->online)
        return doctor_saw(look, SEVERITY_CAUTION,
                          "a quota leaves the time of %.4g of %d processors", host->quota,
                          host->online);
    return host->allowed > 0 && host->allowed < host->online &&
           doctor_saw(look, SEVERITY_NOTE, "%d of %d processors may be used", host->allowed,
                      host->online);
}

static bool
virtual_machine(const struct doctor_look *look)
{
    return look->host->virtual && doctor_saw(look, SEVERITY_NOTE, "the host is a virtual machine");
}

static bool
smt(const struct doctor_look *look)
{
    return look->host->smt == 1 &&
           doctor_saw(look, SEVERITY_NOTE, "several hardware threads share a core (SMT is on)");
}

static bool
transparent_huge_pages(const struct doctor_look *look)
{
    return is(look->host->huge_pages, "always") &&
           doctor_saw(look, SEVERITY_CAUTION, "transparent huge pages are set to always");
}

static bool
swap(const struct doctor_look *look)
{
    const struct host_facts *host = look->host;
    char used[UNITS_TEXT_SIZE];

    return host->memory_bytes > 0 && host->swap_used_bytes > 0 &&
           host->swap_used_bytes > host->memory_bytes / 100 * SWAP_PERCENT &&
           doctor_saw(look, SEVERITY_CAUTION, "%s of swap space is in use",
                      units_size(used, host->swap_used_bytes));
}

static bool
has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (; *text; text += strcspn(text, " "), text += strspn(text, " "))
        if (strcspn(text, " ") == length && strncmp(text, word, length) == 0)
            return true;
    return false;
}

/* A fast clock that the kernel offers. */
static void
mend_clock(const struct doctor_look *look)
{
    static const char *const fast[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen",
                                       "arch_sys_counter"};
    const char *offered = look->host->clock_sources;

    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        if (!has_word(offered, fast[i]))
            continue;
        doctor_mend(look,
                    "echo %s > /sys/devices/system/clocksource/clocksource0/"
                    "current_clocksource",
                    fast[i]);
        return;
    }
    if (offered[0])
        doctor_mend(look, "the kernel offers only %s: dmesg | grep -i tsc says why", offered);
}

static bool
clock_source(const struct doctor_look *look)
{
    static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};

    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        if (is(look->host->clock_source, slow[i])) {
            mend_clock(look);
            return doctor_saw(look, SEVERITY_CAUTION, "the clock source is %s", slow[i]);
        }
    }
    return false;
}

/* What the clock says of a server may be others' doing. */
static bool
speed(const struct doctor_look *look)
{
    const struct host_facts *host = look->host;
    double spread = host->speed_spread_percent;
    bool spoils = spread > SPREAD_SPOILS_PERCENT && !host->speed_by_clock;

    return host->speed > 0 && spread > SPREAD_CAUTION_PERCENT &&
           doctor_saw(look, spoils ? SEVERITY_SPOILS : SEVERITY_CAUTION,
                      "one core made %.0f million steps of a loop in a second at best, and %.0f in "
                      "the median",
                      host->speed, host->speed * (1 - spread / 100));
}

static bool
busy(const struct doctor_look *look)
{
    return look->host->busy_percent > BUSY_PERCENT &&
           doctor_saw(look, SEVERITY_CAUTION,
                      "the processors were %.0f %% busy before anything ran",
                      look->host->busy_percent);
}

static bool
steal(const struct doctor_look *look)
{
    return look->host->steal_percent > STEAL_PERCENT &&
           doctor_saw(look, SEVERITY_CAUTION, "the hypervisor took %.0f %% of the processor time",
                      look->host->steal_percent);
}

const struct doctor_check doctor_host_checks[] = {
    {"governor", governor,
     "the clock follows the load late or not at all, and the result depends on what ran before",
     "cpupower frequency-set -g performance"},
    {"energy-bias", energy_bias, "the processor holds its clock back to save energy",
     "cpupower set --perf-bias 0; echo performance | tee "
     "/sys/devices/system/cpu/cpu*/cpufreq/energy_performance_preference"},
    {"cores-offline", cores_offline, "the host is smaller than it looks on paper",
     "echo 1 | tee /sys/devices/system/cpu/cpu*/online"},
    {"smt", smt,
     "a second thread of a core adds far less than a core: scaling bends at half the processors",
     "where only cores shall count: echo off > /sys/devices/system/cpu/smt/control"},
    {"processor-limit", processor_limit, "the host looks larger than what it gives",
     "ask whoever set it: taskset, cpuset, or cpu.max of the control group in /proc/self/cgroup"},
    {"virtual-machine", virtual_machine,
     "its processors and disks are lent by a host that nobody sees from here, to others too", ""},
    {"transparent-huge-pages", transparent_huge_pages,
     "the kernel makes and breaks huge pages behind the server's back, in bursts",
     "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"},
    {"swap", swap, "memory that was swapped out comes back at the speed of a disk",
     "swapoff -a && swapon -a, with enough memory free"},
    {"clock-source", clock_source,
     "reading the clock is a slow call, which the driver and the server make for each transaction",
     "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"speed", speed,
     "a processor that is throttled, shared or lent out gives results that no second run will give",
     "let it cool, end what else runs, and ask the doctor again"},
    {"busy", busy, "others take processor time and caches from what is measured",
     "end them: top shows which"},
    {"steal", steal, "the host's processors are promised to others too",
     "measure on a host that is not shared"},
    {NULL, NULL, NULL, NULL},
};
