// A disk with faults, for one process: LD_PRELOAD=faulty-disk.so with FAULTY_DISK=<file of rules>.
// test/faults/faulty-disk.ts compiles it and writes the rules; that file documents them. The disk itself is never
// changed by a read; each fault is appended as a line to <file of rules>.log.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { RULES = 64, PATTERN = 512 };
typedef enum { READ, WRITE, SYNC } op_t;
typedef enum { FLIP, CUT, FAIL, DELAY } action_t;
typedef struct {
  op_t op;
  action_t action;
  char pattern[PATTERN];
  long nth, times, chance, min, bit, ms, error;
  long long at;
  long seen, done;
} rule_t;

static rule_t rules[RULES];
static int rule_count;
static uint64_t random_state = 88172645463325252ULL;
static struct timespec rules_time;
static off_t rules_size = -1;
static ino_t rules_inode;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *rules_path(void) { return getenv("FAULTY_DISK"); }

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static void parse_line(char *line) {
  rule_t rule = {.nth = 1, .times = 1, .at = -1, .bit = 0, .ms = 10, .error = EIO};
  char *save = NULL;
  char *op = strtok_r(line, "\t\n", &save);
  char *action = strtok_r(NULL, "\t\n", &save);
  char *pattern = strtok_r(NULL, "\t\n", &save);
  if (op == NULL || action == NULL || pattern == NULL || rule_count == RULES) return;
  rule.op = strcmp(op, "read") == 0 ? READ : strcmp(op, "write") == 0 ? WRITE : SYNC;
  rule.action = strcmp(action, "flip") == 0    ? FLIP
                : strcmp(action, "cut") == 0   ? CUT
                : strcmp(action, "delay") == 0 ? DELAY
                                               : FAIL;
  snprintf(rule.pattern, PATTERN, "%s", pattern);
  for (char *part; (part = strtok_r(NULL, "\t\n", &save)) != NULL;) {
    char *equals = strchr(part, '=');
    if (equals == NULL) continue;
    *equals = 0;
    long long value = strtoll(equals + 1, NULL, 10);
    if (strcmp(part, "nth") == 0) rule.nth = value;
    else if (strcmp(part, "times") == 0) rule.times = value;
    else if (strcmp(part, "chance") == 0) rule.chance = value;
    else if (strcmp(part, "min") == 0) rule.min = value;
    else if (strcmp(part, "bit") == 0) rule.bit = value & 7;
    else if (strcmp(part, "ms") == 0) rule.ms = value;
    else if (strcmp(part, "errno") == 0) rule.error = value;
    else if (strcmp(part, "at") == 0) rule.at = value;
    else if (strcmp(part, "seed") == 0) random_state = (uint64_t)value * 2654435761ULL + 1;
  }
  rules[rule_count++] = rule;
}

static ssize_t raw_read(int fd, void *into, size_t bytes) { return syscall(SYS_read, fd, into, bytes); }

/* Rules that changed are taken over, and begin to count again. Held: lock. */
static void load_rules(void) {
  const char *path = rules_path();
  struct stat now;
  if (path == NULL || stat(path, &now) != 0) {
    rule_count = 0;
    rules_size = -1;
    return;
  }
  if (now.st_size == rules_size && now.st_ino == rules_inode && now.st_mtim.tv_sec == rules_time.tv_sec &&
      now.st_mtim.tv_nsec == rules_time.tv_nsec)
    return;
  rules_size = now.st_size;
  rules_inode = now.st_ino;
  rules_time = now.st_mtim;
  rule_count = 0;
  int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  static char text[RULES * PATTERN * 2];
  size_t length = 0;
  for (ssize_t got; (got = raw_read(fd, text + length, sizeof text - 1 - length)) > 0;) length += got;
  text[length] = 0;
  syscall(SYS_close, fd);
  char *save = NULL;
  for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    parse_line(line);
  }
}

static void report(const rule_t *rule, const char *path, long long at, long long bytes) {
  char name[PATH_MAX], line[PATH_MAX + 128];
  static const char *const ops[] = {"read", "write", "sync"};
  static const char *const actions[] = {"flip", "cut", "fail", "delay"};
  snprintf(name, sizeof name, "%s.log", rules_path());
  int length = snprintf(line, sizeof line, "%s\t%s\t%s\t%lld\t%lld\n", ops[rule->op],
                        actions[rule->action], path, at, bytes);
  int fd = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  syscall(SYS_write, fd, line, (size_t)length);
  syscall(SYS_close, fd);
}

/* The rule that applies to this call; `found` gets a copy. `at`: -1 where the place is that of the descriptor. */
static int find_fault(op_t op, int fd, long long at, size_t bytes, rule_t *found) {
  if (rules_path() == NULL) return 0;
  int saved = errno;
  int hit = 0;
  pthread_mutex_lock(&lock);
  load_rules();
  if (rule_count > 0) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    for (int index = 0; length > 0 && index < rule_count && !hit; index++) {
      rule_t *rule = &rules[index];
      if (rule->op != op || fnmatch(rule->pattern, path, 0) != 0) continue;
      if (op != SYNC && bytes < (size_t)rule->min) continue;
      if (rule->at >= 0 && (at < 0 || rule->at < at || rule->at >= at + (long long)bytes)) continue;
      rule->seen++;
      int now = rule->chance > 0 ? (long)(next_random() % 1000) < rule->chance : rule->seen >= rule->nth;
      if (!now || (rule->times > 0 && rule->done >= rule->times)) continue;
      rule->done++;
      *found = *rule;
      report(rule, path, at, bytes);
      hit = 1;
    }
  }
  pthread_mutex_unlock(&lock);
  errno = saved;
  return hit;
}

static void pause_for(long ms) {
  struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000};
  nanosleep(&time, NULL);
}

static size_t total(const struct iovec *parts, int count) {
  size_t sum = 0;
  for (int index = 0; index < count; index++) sum += parts[index].iov_len;
  return sum;
}

static size_t flipped_byte(const rule_t *rule, long long at, size_t bytes) {
  return rule->at >= 0 ? (size_t)(rule->at - at) : (size_t)(next_random() % bytes);
}

static void flip(const struct iovec *parts, int count, size_t byte, long bit) {
  for (int index = 0; index < count; byte -= parts[index].iov_len, index++) {
    if (byte >= parts[index].iov_len) continue;
    ((unsigned char *)parts[index].iov_base)[byte] ^= 1u << bit;
    return;
  }
}

static ssize_t faulty_read(int fd, const struct iovec *parts, int count, long long at) {
  rule_t rule;
  size_t wanted = total(parts, count);
  int hit = find_fault(READ, fd, at, wanted, &rule);
  if (hit && rule.action == FAIL) {
    errno = rule.error;
    return -1;
  }
  if (hit && rule.action == DELAY) pause_for(rule.ms);
  ssize_t got = at < 0 ? syscall(SYS_readv, fd, parts, count)
                       : syscall(SYS_preadv, fd, parts, count, (long)at, (long)(at >> 32 >> 32));
  if (!hit || got <= 0) return got;
  // The rest of the file is gone, for this read.
  if (rule.action == CUT) return got / 2;
  if (rule.action == FLIP) {
    size_t byte = flipped_byte(&rule, at, (size_t)got);
    if (byte < (size_t)got) flip(parts, count, byte, rule.bit);
  }
  return got;
}

static ssize_t plain_write(int fd, const struct iovec *parts, int count, long long at) {
  return at < 0 ? syscall(SYS_writev, fd, parts, count)
                : syscall(SYS_pwritev, fd, parts, count, (long)at, (long)(at >> 32 >> 32));
}

static ssize_t faulty_write(int fd, const struct iovec *parts, int count, long long at) {
  rule_t rule;
  size_t wanted = total(parts, count);
  if (!find_fault(WRITE, fd, at, wanted, &rule)) return plain_write(fd, parts, count, at);
  if (rule.action == FAIL) {
    errno = rule.error;
    return -1;
  }
  if (rule.action == DELAY || wanted == 0) {
    pause_for(rule.ms);
    return plain_write(fd, parts, count, at);
  }
  // Pages of direct writes want their alignment.
  char *copy = NULL;
  if (posix_memalign((void **)&copy, 4096, wanted) != 0) return plain_write(fd, parts, count, at);
  size_t filled = 0;
  for (int index = 0; index < count; filled += parts[index].iov_len, index++) {
    memcpy(copy + filled, parts[index].iov_base, parts[index].iov_len);
  }
  struct iovec whole = {.iov_base = copy, .iov_len = wanted};
  // A write that was cut short and says so is finished by its caller: this one claims to be whole.
  if (rule.action == CUT) memset(copy + wanted / 2, 0, wanted - wanted / 2);
  else copy[flipped_byte(&rule, at, wanted)] ^= 1 << rule.bit;
  ssize_t wrote = plain_write(fd, &whole, 1, at);
  free(copy);
  return wrote;
}

static int faulty_sync(int fd, long number) {
  rule_t rule;
  if (find_fault(SYNC, fd, -1, 0, &rule)) {
    if (rule.action == DELAY) pause_for(rule.ms);
    else {
      errno = rule.error;
      return -1;
    }
  }
  return (int)syscall(number, fd);
}

static struct iovec one(const void *bytes, size_t length) {
  return (struct iovec){.iov_base = (void *)bytes, .iov_len = length};
}

ssize_t read(int fd, void *into, size_t bytes) {
  struct iovec part = one(into, bytes);
  return faulty_read(fd, &part, 1, -1);
}
ssize_t pread(int fd, void *into, size_t bytes, off_t at) {
  struct iovec part = one(into, bytes);
  return faulty_read(fd, &part, 1, at);
}
ssize_t pread64(int fd, void *into, size_t bytes, off64_t at) {
  struct iovec part = one(into, bytes);
  return faulty_read(fd, &part, 1, at);
}
ssize_t readv(int fd, const struct iovec *parts, int count) { return faulty_read(fd, parts, count, -1); }
ssize_t preadv(int fd, const struct iovec *parts, int count, off_t at) {
  return faulty_read(fd, parts, count, at);
}
ssize_t preadv64(int fd, const struct iovec *parts, int count, off64_t at) {
  return faulty_read(fd, parts, count, at);
}
ssize_t __read_chk(int fd, void *into, size_t bytes, size_t room) {
  (void)room;
  return read(fd, into, bytes);
}
ssize_t __pread_chk(int fd, void *into, size_t bytes, off_t at, size_t room) {
  (void)room;
  return pread(fd, into, bytes, at);
}
ssize_t __pread64_chk(int fd, void *into, size_t bytes, off64_t at, size_t room) {
  (void)room;
  return pread64(fd, into, bytes, at);
}
ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec part = one(bytes, length);
  return faulty_write(fd, &part, 1, -1);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  struct iovec part = one(bytes, length);
  return faulty_write(fd, &part, 1, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  struct iovec part = one(bytes, length);
  return faulty_write(fd, &part, 1, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) { return faulty_write(fd, parts, count, -1); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  return faulty_write(fd, parts, count, at);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  return faulty_write(fd, parts, count, at);
}
int fsync(int fd) { return faulty_sync(fd, SYS_fsync); }
int fdatasync(int fd) { return faulty_sync(fd, SYS_fdatasync); }
