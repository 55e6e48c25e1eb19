/*
 * Records what a process does to the files under POWER_CUT_ROOT, in order: which it opens, writes, truncates, deletes
 * and syncs. Loaded with LD_PRELOAD; writes to the file POWER_CUT_TRACE, which trace.ts reads.
 *
 * POWER_CUT_SYNCS=none skips every sync: it succeeds, does nothing and is not recorded.
 *
 * A change is recorded before it is made, under a lock that is held until it is made. So a killed process has recorded
 * at most one change that it did not make. A sync is recorded when it begins and when it ends, without holding the lock
 * meanwhile: it covers the changes made before it began.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { OPEN = 1, CREATE, CLOSE, WRITE, TRUNCATE, SYNC_BEGIN, SYNC_END, UNLINK, MKDIR };

struct header {
  uint64_t time;
  int64_t offset;
  uint32_t length;
  int32_t fd;
  uint32_t thread;
  uint32_t kind;
};

#define MOST_FDS 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static int without_syncs;
static char root[4096];
static size_t root_length;
/* Whether a descriptor belongs to a recorded file. */
static char watched[MOST_FDS];

#define REAL(name) \
  static __typeof__(name) *real; \
  if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("POWER_CUT_TRACE");
  const char *given = getenv("POWER_CUT_ROOT");
  const char *syncs = getenv("POWER_CUT_SYNCS");
  if (path == NULL || given == NULL) return;
  root_length = strlen(given);
  if (root_length >= sizeof root) abort();
  memcpy(root, given, root_length + 1);
  without_syncs = syncs != NULL && strcmp(syncs, "none") == 0;
  trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (trace < 0) abort();
}

/* Skips the index of the log, which is in shared memory and is rebuilt after a power cut. */
static int is_watched_path(const char *path) {
  if (trace < 0 || path == NULL || strncmp(path, root, root_length) != 0) return 0;
  if (path[root_length] != '/' && path[root_length] != '\0') return 0;
  size_t length = strlen(path);
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

static int is_watched(int fd) { return trace >= 0 && fd >= 0 && fd < MOST_FDS && watched[fd]; }

static void put(const void *bytes, size_t length) {
  const char *from = bytes;
  while (length > 0) {
    ssize_t written = syscall(SYS_write, trace, from, length);
    if (written <= 0) abort();
    from += written;
    length -= (size_t)written;
  }
}

static void record(enum kind kind, int fd, int64_t offset, const void *bytes, size_t length) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct header header = {
    .time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
    .offset = offset,
    .length = (uint32_t)length,
    .fd = fd,
    .thread = (uint32_t)syscall(SYS_gettid),
    .kind = kind,
  };
  put(&header, sizeof header);
  put(bytes, length);
}

typedef int opener(const char *path, int flags, mode_t mode);

static int open_watched(opener *call, const char *path, int flags, mode_t mode) {
  struct stat before;
  pthread_mutex_lock(&lock);
  int was_there = stat(path, &before) == 0;
  int fd = call(path, flags, mode);
  if (fd >= MOST_FDS) abort();
  if (fd >= 0) {
    watched[fd] = 1;
    record(was_there ? OPEN : CREATE, fd, 0, path, strlen(path));
    if (was_there && (flags & O_TRUNC) != 0) record(TRUNCATE, fd, 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

#define MODE_OF(flags) \
  mode_t mode = 0; \
  if ((flags & (O_CREAT | __O_TMPFILE)) != 0) { \
    va_list list; \
    va_start(list, flags); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }

static int call_open(const char *path, int flags, mode_t mode) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
  MODE_OF(flags);
  REAL(open);
  return is_watched_path(path) ? open_watched(call_open, path, flags, mode) : real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE_OF(flags);
  REAL(open64);
  return is_watched_path(path) ? open_watched(call_open, path, flags, mode) : real(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE_OF(flags);
  REAL(openat);
  return is_watched_path(path) ? open_watched(call_open, path, flags, mode) : real(folder, path, flags, mode);
}

int close(int fd) {
  REAL(close);
  if (!is_watched(fd)) return real(fd);
  pthread_mutex_lock(&lock);
  watched[fd] = 0;
  record(CLOSE, fd, 0, NULL, 0);
  int result = real(fd);
  pthread_mutex_unlock(&lock);
  return result;
}

/* Node closes files this way. */
long syscall(long number, ...) {
  REAL(syscall);
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_close && is_watched((int)a)) return close((int)a);
  return real(number, a, b, c, d, e, f);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  REAL(pwrite64);
  if (!is_watched(fd)) return real(fd, bytes, length, offset);
  pthread_mutex_lock(&lock);
  record(WRITE, fd, offset, bytes, length);
  ssize_t result = real(fd, bytes, length, offset);
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(write);
  if (!is_watched(fd)) return real(fd, bytes, length);
  pthread_mutex_lock(&lock);
  record(WRITE, fd, lseek(fd, 0, SEEK_CUR), bytes, length);
  ssize_t result = real(fd, bytes, length);
  pthread_mutex_unlock(&lock);
  return result;
}

/* Nothing writes to the files in these ways; if that changes, the records would be silently wrong. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  if (is_watched(fd)) abort();
  return real(fd, parts, count);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  REAL(pwritev64);
  if (is_watched(fd)) abort();
  return real(fd, parts, count, offset);
}

int ftruncate64(int fd, off64_t length) {
  REAL(ftruncate64);
  if (!is_watched(fd)) return real(fd, length);
  pthread_mutex_lock(&lock);
  record(TRUNCATE, fd, length, NULL, 0);
  int result = real(fd, length);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

typedef int syncer(int fd);

static int sync_watched(syncer *call, int fd) {
  if (without_syncs) return 0;
  pthread_mutex_lock(&lock);
  record(SYNC_BEGIN, fd, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  int result = call(fd);
  if (result == 0) {
    pthread_mutex_lock(&lock);
    record(SYNC_END, fd, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
  }
  return result;
}

int fsync(int fd) {
  REAL(fsync);
  return is_watched(fd) ? sync_watched(real, fd) : real(fd);
}

int fdatasync(int fd) {
  REAL(fdatasync);
  return is_watched(fd) ? sync_watched(real, fd) : real(fd);
}

int unlink(const char *path) {
  REAL(unlink);
  if (!is_watched_path(path)) return real(path);
  pthread_mutex_lock(&lock);
  record(UNLINK, -1, 0, path, strlen(path));
  int result = real(path);
  pthread_mutex_unlock(&lock);
  return result;
}

int rename(const char *from, const char *to) {
  REAL(rename);
  if (is_watched_path(from) || is_watched_path(to)) abort();
  return real(from, to);
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  if (!is_watched_path(path)) return real(path, mode);
  pthread_mutex_lock(&lock);
  int result = real(path, mode);
  if (result == 0) record(MKDIR, -1, 0, path, strlen(path));
  pthread_mutex_unlock(&lock);
  return result;
}
