#pragma once
/// Whether an address sanitizer watches: slower, and with a malloc of its own. gcc and clang say it in their own ways.
#if defined(__SANITIZE_ADDRESS__)
#define GOUGH_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GOUGH_SANITIZED 1
#endif
#endif
