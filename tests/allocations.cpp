#include "allocations.hpp"

static thread_local long count = 0;

long allocations() { return count; }

#if !defined(GOUGH_SANITIZED) && defined(__GLIBC__)
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): names of the C library
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t size) { return ++count, __libc_malloc(size); }
void* calloc(std::size_t n, std::size_t size) { return ++count, __libc_calloc(n, size); }
void* realloc(void* p, std::size_t size) { return ++count, __libc_realloc(p, size); }
void* aligned_alloc(std::size_t align, std::size_t size) { return ++count, __libc_memalign(align, size); }
}
// NOLINTEND
#endif
