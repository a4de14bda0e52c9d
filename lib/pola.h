/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The one public header of libpola: PolaFormer++ vision models on ordinary CPUs.
 *
 * Conventions. Functions that can fail return POLA_OK (0) or a negative enum pola_status and describe the fault
 * in a caller-owned struct pola_error (never NULL); on failure their outputs are NULL or untouched. The library never
 * prints, exits or aborts. Every pointer argument is documented as borrowed (used during the call only), taken
 * (the callee owns it afterwards) or given (the caller owns it afterwards). Images are rows of interleaved RGB.
 */
#ifndef POLA_H
#define POLA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POLA_VERSION_MAJOR 0
#define POLA_VERSION_MINOR 1
#define POLA_VERSION_PATCH 0

#if defined(__GNUC__)
#define POLA_API       __attribute__((visibility("default")))
#define POLA_NODISCARD __attribute__((warn_unused_result))
#else
#define POLA_API
#define POLA_NODISCARD
#endif

/* libvips' image type, declared here so that this header needs nothing but the C library. */
struct _VipsImage;

enum pola_status {
    POLA_OK = 0,
    POLA_ERR_ARGUMENT = -1, /* a value outside what the function documents */
    POLA_ERR_MEMORY = -2,   /* an allocation failed, or a size does not fit the address space */
    POLA_ERR_IO = -3,       /* a file cannot be opened, read or mapped */
    POLA_ERR_FORMAT = -4,   /* a file is damaged or of another kind */
    POLA_ERR_MODEL = -5,    /* a model lacks a tensor, has one of another shape, or is of another architecture */
    POLA_ERR_NUMERIC = -6   /* a result is not finite */
};

/* What went wrong: one line, lower case, the subject quoted, without a final newline. */
struct pola_error {
    enum pola_status code;
    char text[1024];
};

/* ---- library ------------------------------------------------------------------------------------------------- */

/* "0.1.0"; static. */
POLA_API const char *pola_version(void);

/* Starts libvips if needed and registers the operations ("pola_sr"). Call once, before any thread uses the library. */
POLA_API POLA_NODISCARD int pola_init(struct pola_error *err);

/* Caps the kernels at one of "scalar", "avx2", "avx512", "avx512bf16", "amx" ("auto": no cap). The environment variable
 * POLA_CPU says the same; this call wins. Asking for more than the CPU has is an error. Before the first model opens. */
POLA_API POLA_NODISCARD int pola_cpu_cap(const char *name, struct pola_error *err);

/* The best instruction set in use after capping, one of the names above; static. */
POLA_API const char *pola_cpu_name(void);

/* Threads for the networks; 0: as many as this process may use (affinity and cgroup quota). Results do not depend on it. */
POLA_API void pola_threads_set(int threads);
POLA_API int pola_threads(void);

/* ---- models -------------------------------------------------------------------------------------------------- */

/* Named tensors of one file with their metadata. Reference counted, immutable after opening, shared between threads. */
typedef struct pola_model pola_model;

/* Opens the model file at path (borrowed): safetensors, mapped. *out is given with one reference. Its structure is
 * checked completely; its tensors when a task is made from it. */
POLA_API POLA_NODISCARD int pola_model_open(pola_model **out, const char *path, struct pola_error *err);
POLA_API pola_model *pola_model_ref(pola_model *model);
POLA_API void pola_model_unref(pola_model *model); /* NULL is fine */

/* The metadata entry, for example "pola.arch", "pola.scale", "pola.tile"; NULL when absent. Borrowed from the model. */
POLA_API const char *pola_model_meta(const pola_model *model, const char *key);

/* Total number of elements of all tensors. */
POLA_API uint64_t pola_model_parameters(const pola_model *model);

/* Finds a model: name with a slash or a known suffix (.safetensors; .pth and .pt are reserved) is a path and returned as it is; any other
 * name is looked up as NAME.safetensors in dir (may be NULL), $POLA_MODELS (colon-separated), the installed directory and
 * the build tree. *path is given: free() it. The error text lists the places searched. */
POLA_API POLA_NODISCARD int pola_model_find(char **path, const char *name, const char *dir, struct pola_error *err);

/* Calls visit(path, data) for every model file in the same places, in search order, sorted by name in each. A file
 * whose name was seen in an earlier place is left out. */
POLA_API void pola_model_each(const char *dir, void (*visit)(const char *path, void *data), void *data);

/* ---- super-resolution ---------------------------------------------------------------------------------------- */

enum pola_precision {
    POLA_PRECISION_AUTO = 0, /* bf16 where the CPU multiplies it in hardware, else fp32 */
    POLA_PRECISION_FP32 = 1, /* everything in float32 */
    POLA_PRECISION_BF16 =
        2 /* weights, and what passes from layer to layer, in bfloat16; sums inside a layer in float32 */
};

struct pola_sr_options {
    enum pola_precision precision;
    int tile; /* width and height of the window that the network sees, halo included; 0: from the model */
    int halo; /* pixels by which neighbouring windows overlap on each side of a border; -1: from the model */
    int tta;  /* nonzero: mean over the eight flips and transposes of each window (self-ensemble), 8 times the work */
};

/* Fills in "everything from the model, no self-ensemble". */
POLA_API void pola_sr_options_init(struct pola_sr_options *options);

/* What super-resolving one image will take. */
struct pola_sr_plan {
    int scale;         /* the model's */
    int tile, halo;    /* as chosen */
    int columns, rows; /* windows across and down */
    enum pola_precision precision;
    uint64_t memory; /* bytes that the operation itself holds at most */
    double macs;     /* multiply-adds of the network over all windows */
};

/* A network with packed weights, shared by any number of threads. */
typedef struct pola_sr pola_sr;

/* Checks the model's tensors, packs its weights. model and options are borrowed (the model is referenced). */
POLA_API POLA_NODISCARD int pola_sr_new(pola_sr **out, pola_model *model, const struct pola_sr_options *options,
                                        struct pola_error *err);
POLA_API pola_sr *pola_sr_ref(pola_sr *sr);
POLA_API void pola_sr_unref(pola_sr *sr); /* NULL is fine */
POLA_API int pola_sr_scale(const pola_sr *sr);

/* Plans a width x height RGB image of 8 bits with threads as set. After pola_init(). */
POLA_API POLA_NODISCARD int pola_sr_plan(struct pola_sr_plan *plan, const pola_sr *sr, int width, int height,
                                         struct pola_error *err);

/* The same for the bands and depth of in (borrowed, only its header is read), as pola_sr_image() would treat it. */
POLA_API POLA_NODISCARD int pola_sr_plan_image(struct pola_sr_plan *plan, const pola_sr *sr, struct _VipsImage *in,
                                               struct pola_error *err);

/* Super-resolves an image in memory as one window, without tiles.
 *   out  (s*height, s*width, 3)  float sRGB, clamped to [0,1]
 *   in   (height, width, 3)      float sRGB in [0,1]
 * Both borrowed. The network sees zeros outside the image, as the published one does; pola_sr_image() mirrors it instead.
 * A non-finite result is POLA_ERR_NUMERIC. */
POLA_API POLA_NODISCARD int pola_sr_run(const pola_sr *sr, float *out, const float *in, int width, int height,
                                        struct pola_error *err);

/* The same tile by tile as a libvips pipeline: *out (given, g_object_unref it) is computed while it is read. in is borrowed; in and
 * sr stay referenced by *out.
 * in: 1 to 4 bands (grey, grey+alpha, RGB, RGBA) of 8 or 16 bits or float, in sRGB or anything libvips converts to it;
 * the output has the same bands, depth and interpretation, and exactly scale times the size. Alpha is enlarged by itself.
 * Faults of a tile reach the reader of *out through libvips' error buffer. This is the VipsOperation "pola_sr". */
POLA_API POLA_NODISCARD int pola_sr_image(struct _VipsImage *in, struct _VipsImage **out, pola_sr *sr,
                                          struct pola_error *err);

#ifdef __cplusplus
}
#endif

#endif
