/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The libvips module, in a program that knows nothing of libpola: once it is loaded, the operation is there and works.
 * usage: test_module MODULE MODEL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gmodule.h>
#include <vips/vips.h>

static const char *module_path, *model_path;

static void operation_appears(void **state)
{
    VipsImage *in, *out;
    size_t size;

    assert_int_equal(vips_type_find("VipsOperation", "pola_sr"), 0);
    GModule *module = g_module_open(module_path, G_MODULE_BIND_LAZY);
    if (!module)
        fail_msg("%s", g_module_error());
    g_module_make_resident(module);
    assert_int_not_equal(vips_type_find("VipsOperation", "pola_sr"), 0);

    assert_int_equal(vips_black(&in, 20, 10, "bands", 3, NULL), 0);
    if (vips_call("pola_sr", in, &out, model_path, NULL))
        fail_msg("%s", vips_error_buffer());
    assert_int_equal(vips_image_get_width(out), 80);
    assert_int_equal(vips_image_get_height(out), 40);
    void *pixels = vips_image_write_to_memory(out, &size);
    assert_non_null(pixels);
    assert_int_equal(size, 80 * 40 * 3);
    g_free(pixels);
    g_object_unref(out);
    g_object_unref(in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operation_appears)};

    if (argc != 3 || VIPS_INIT(argv[0]))
        return 1;
    module_path = argv[1];
    model_path = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
