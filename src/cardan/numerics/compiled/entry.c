/* Calls of prebuilt machine code from Python: the type Entry, as `entry.py` describes it.

   Overloads of a kernel are functions int32 f(int64 *words). An Entry compares the types of the arguments with those of
   each overload, lays the arguments out as 64-bit words, releases the interpreter lock and calls. If no overload fits,
   it calls its method `missing`. Only the limited API of Python 3.11 is used. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 512 /* of arguments and result */

typedef int32_t (*Function)(int64_t *);

typedef struct Overload {
    struct Overload *next;
    Function function;
    Py_ssize_t count; /* of arguments */
    char *arguments;  /* their types as text, see signature.py */
    char *result;
} Overload;

typedef struct {
    PyObject_HEAD
    Overload *first;
} Entry;

static PyObject *address_name, *missing_name, *opaque_name;

enum { FITS = 0, DIFFERS = 1, FAILED = -1 };

static const char *after_number(const char *type)
{
    while (*type >= '0' && *type <= '9') type++;
    return type;
}

/* Kind (f, i, u, b, c) of the numbers in a buffer by its format; 0 if there is none. */
static char kind_of_format(const char *format)
{
    if (!format) return 'u';
    if (*format == '@' || *format == '=') format++;
    if (format[0] == 'Z' && format[1] && !format[2]) return 'c';
    if (!format[0] || format[1]) return 0;
    if (strchr("fdg", *format)) return 'f';
    if (strchr("bhilqn", *format)) return 'i';
    if (strchr("BHILQN", *format)) return 'u';
    return *format == '?' ? 'b' : 0;
}

static int is_contiguous(const Py_buffer *view, int last_first)
{
    Py_ssize_t step = view->itemsize;
    if (view->len == 0) return 1;
    for (int k = 0; k < view->ndim; k++) {
        int axis = last_first ? view->ndim - 1 - k : k;
        if (view->shape[axis] != 1 && view->strides[axis] != step) return 0;
        step *= view->shape[axis];
    }
    return 1;
}

/* An array: A, dimensions, layout, access, kind and size of its numbers. */
static int lay_out_array(const char **type, PyObject *value, int64_t **words)
{
    const char *t = *type;
    int ndim = t[1] - '0', size = atoi(t + 5), found = DIFFERS;
    char layout = t[2], access = t[3], kind = t[4];
    Py_buffer view;
    *type = after_number(t + 5);
    if (!PyObject_CheckBuffer(value)) return DIFFERS;
    if (PyObject_GetBuffer(value, &view, PyBUF_STRIDES | PyBUF_FORMAT)) {
        PyErr_Clear();
        return DIFFERS;
    }
    if (view.ndim == ndim && view.itemsize == size && kind_of_format(view.format) == kind
        && !(access == 'w' && view.readonly)
        && (layout == 'A' || is_contiguous(&view, layout == 'C'))) {
        int64_t *w = *words;
        w[0] = w[1] = 0;
        w[2] = view.len / view.itemsize;
        w[3] = view.itemsize;
        w[4] = (int64_t)(intptr_t)view.buf;
        for (int k = 0; k < ndim; k++) {
            w[5 + k] = view.shape[k];
            w[5 + ndim + k] = view.strides[k];
        }
        *words += 5 + 2 * ndim;
        found = FITS;
    }
    PyBuffer_Release(&view);
    return found;
}

/* A number that is not one of Python's own: a scalar of NumPy, of this kind and size. */
static int lay_out_scalar(char kind, int size, PyObject *value, int64_t **words)
{
    Py_buffer view;
    int found = DIFFERS;
    if (!PyObject_CheckBuffer(value)) return DIFFERS;
    if (PyObject_GetBuffer(value, &view, PyBUF_STRIDES | PyBUF_FORMAT)) {
        PyErr_Clear();
        return DIFFERS;
    }
    if (view.ndim == 0 && view.itemsize == size && kind_of_format(view.format) == kind) {
        (*words)[0] = 0;
        memcpy(*words, view.buf, size);
        *words += (size + 7) / 8;
        found = FITS;
    }
    PyBuffer_Release(&view);
    return found;
}

static int lay_out_number(const char **type, PyObject *value, int64_t **words)
{
    char kind = **type;
    int size = atoi(*type + 1);
    *type = after_number(*type + 1);
    if (kind == 'f' && size == 8 && PyFloat_Check(value)) {
        double number = PyFloat_AsDouble(value);
        memcpy((*words)++, &number, 8);
        return FITS;
    }
    if (kind == 'b' && PyBool_Check(value)) {
        *(*words)++ = value == Py_True;
        return FITS;
    }
    if ((kind == 'i' || kind == 'u') && size == 8 && PyLong_CheckExact(value)) {
        int overflow;
        long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (kind == 'i' && overflow) return DIFFERS;
        if (kind == 'u') {
            if (overflow < 0 || (!overflow && number < 0)) return DIFFERS;
            if (overflow) {
                number = (long long)PyLong_AsUnsignedLongLong(value);
                if (PyErr_Occurred()) {
                    PyErr_Clear();
                    return DIFFERS;
                }
            }
        }
        *(*words)++ = number;
        return FITS;
    }
    if (kind == 'c' && size == 16 && PyComplex_Check(value)) {
        double parts[2] = {PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value)};
        memcpy(*words, parts, 16);
        *words += 2;
        return FITS;
    }
    return lay_out_scalar(kind, size, value, words);
}

/* A block: B and the code of its kind, which is the word before its first entry. */
static int lay_out_block(const char **type, PyObject *value, int64_t **words)
{
    uint64_t wanted = strtoull(*type + 1, NULL, 16);
    PyObject *address;
    uint64_t place;
    *type += 17;
    address = PyObject_GetAttr(value, address_name);
    if (!address) {
        PyErr_Clear();
        return DIFFERS;
    }
    place = PyLong_AsUnsignedLongLong(address);
    Py_DECREF(address);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return DIFFERS;
    }
    *(*words)++ = (int64_t)place;
    return ((uint64_t *)(uintptr_t)place)[-1] == wanted ? FITS : DIFFERS;
}

/* A block that the kernel only hands on: O. */
static int lay_out_opaque(const char **type, PyObject *value, int64_t **words)
{
    PyObject *address;
    (*type)++;
    if (!PyObject_HasAttr(value, opaque_name) || !(address = PyObject_GetAttr(value, address_name))) {
        PyErr_Clear();
        return DIFFERS;
    }
    *(*words)++ = (int64_t)PyLong_AsUnsignedLongLong(address);
    Py_DECREF(address);
    return PyErr_Occurred() ? FAILED : FITS;
}

static int lay_out(const char **type, PyObject *value, int64_t **words)
{
    switch (**type) {
    case 'O': return lay_out_opaque(type, value, words);
    case 'A': return lay_out_array(type, value, words);
    case 'B': return lay_out_block(type, value, words);
    case 'n': (*type)++; return value == Py_None ? FITS : DIFFERS;
    case '(': {
        Py_ssize_t k = 0, size;
        if (!PyTuple_Check(value)) return DIFFERS;
        size = PyTuple_Size(value);
        (*type)++;
        while (**type != ')') {
            int found;
            if (**type == ',') (*type)++;
            if (k >= size) return DIFFERS;
            found = lay_out(type, PyTuple_GetItem(value, k++), words);
            if (found != FITS) return found;
        }
        (*type)++;
        return k == size ? FITS : DIFFERS;
    }
    default: return lay_out_number(type, value, words);
    }
}

static int lay_out_all(const Overload *overload, PyObject *arguments, int64_t **words)
{
    const char *type = overload->arguments;
    for (Py_ssize_t k = 0; k < overload->count; k++) {
        int found;
        if (*type == ',') type++;
        found = lay_out(&type, PyTuple_GetItem(arguments, k), words);
        if (found != FITS) return found;
    }
    return FITS;
}

/* The result, laid out as C lays out structures. */
static PyObject *read_result(const char **type, const char **place)
{
    char kind = *(*type)++;
    int size;
    if (kind == 'n') Py_RETURN_NONE;
    if (kind == '(') {
        PyObject *list = PyList_New(0), *tuple;
        while (list && **type != ')') {
            PyObject *item;
            if (**type == ',') (*type)++;
            item = read_result(type, place);
            if (!item || PyList_Append(list, item)) {
                Py_XDECREF(item);
                Py_DECREF(list);
                return NULL;
            }
            Py_DECREF(item);
        }
        (*type)++;
        if (!list) return NULL;
        tuple = PyList_AsTuple(list);
        Py_DECREF(list);
        return tuple;
    }
    size = atoi(*type);
    *type = after_number(*type);
    {
        uintptr_t alignment = size > 8 ? 8 : (uintptr_t)size;
        const char *p = (const char *)(((uintptr_t)*place + alignment - 1) & ~(alignment - 1));
        *place = p + size;
        if (kind == 'b') return PyBool_FromLong(*p & 1);
        if (kind == 'f') {
            double number;
            memcpy(&number, p, 8);
            return PyFloat_FromDouble(number);
        }
        if (kind == 'c') {
            double parts[2];
            memcpy(parts, p, 16);
            return PyComplex_FromDoubles(parts[0], parts[1]);
        }
        if (size == 4) {
            int32_t number;
            memcpy(&number, p, 4);
            return kind == 'u' ? PyLong_FromUnsignedLong((uint32_t)number) : PyLong_FromLong(number);
        }
        {
            int64_t number;
            memcpy(&number, p, 8);
            return kind == 'u' ? PyLong_FromUnsignedLongLong((uint64_t)number) : PyLong_FromLongLong(number);
        }
    }
}

static PyObject *entry_call(PyObject *self, PyObject *arguments, PyObject *named)
{
    int64_t words[MAX_WORDS];
    Py_ssize_t count = PyTuple_Size(arguments);
    if (!named || PyDict_Size(named) == 0) {
        for (Overload *overload = ((Entry *)self)->first; overload; overload = overload->next) {
            int64_t *end = words;
            int32_t status;
            const char *result = overload->result, *place;
            if (overload->count != count) continue;
            status = lay_out_all(overload, arguments, &end);
            if (status == FAILED) return NULL;
            if (status == DIFFERS) continue;
            Py_BEGIN_ALLOW_THREADS
            status = overload->function(words);
            Py_END_ALLOW_THREADS
            if (status) return PyErr_Format(PyExc_RuntimeError, "a kernel failed with status %d", (int)status);
            place = (const char *)end;
            return read_result(&result, &place);
        }
    }
    {
        PyObject *missing = PyObject_GetAttr(self, missing_name), *result;
        if (!missing) return NULL;
        result = PyObject_Call(missing, arguments, named);
        Py_DECREF(missing);
        return result;
    }
}

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *memory = malloc(size);
    if (memory) memcpy(memory, text, size);
    return memory;
}

/* How many words the arguments of an overload take, and how many arguments there are. */
static Py_ssize_t words_of(const char *type, Py_ssize_t *count)
{
    Py_ssize_t words = 0;
    int depth = 0;
    *count = *type ? 1 : 0;
    while (*type) {
        if (*type == ',' && depth == 0) (*count)++;
        depth += (*type == '(') - (*type == ')');
        if (*type == 'A') {
            words += 5 + 2 * (type[1] - '0');
            type = after_number(type + 5);
        } else if (*type == 'B') {
            words += 1;
            type += 17;
        } else if (*type == 'O') {
            words += 1;
            type++;
        } else if (strchr("fiubc", *type)) {
            words += *type == 'c' ? 2 : 1;
            type = after_number(type + 1);
        } else {
            type++;
        }
    }
    return words;
}

static PyObject *entry_add(PyObject *self, PyObject *overload)
{
    unsigned long long address;
    const char *arguments, *result;
    Py_ssize_t words, unused;
    Overload *added, **last;
    if (!PyArg_ParseTuple(overload, "Kss", &address, &arguments, &result)) return NULL;
    added = calloc(1, sizeof(Overload));
    if (!added) return PyErr_NoMemory();
    words = words_of(arguments, &added->count) + 2 * words_of(result, &unused) + 1;
    added->function = (Function)(uintptr_t)address;
    added->arguments = copy(arguments);
    added->result = copy(result);
    if (words > MAX_WORDS || !added->arguments || !added->result) {
        free(added->arguments);
        free(added->result);
        free(added);
        return PyErr_Format(PyExc_ValueError, "an overload takes %zd words; %d are possible", words, MAX_WORDS);
    }
    for (last = &((Entry *)self)->first; *last; last = &(*last)->next) {}
    *last = added;
    Py_RETURN_NONE;
}

static void entry_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    for (Overload *overload = ((Entry *)self)->first, *next; overload; overload = next) {
        next = overload->next;
        free(overload->arguments);
        free(overload->result);
        free(overload);
    }
    release(self);
    Py_DECREF(type);
}

static PyMethodDef entry_methods[] = {
    {"add", entry_add, METH_O, "Add machine code for arguments of certain types."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot entry_slots[] = {
    {Py_tp_doc, "A callable with overloads; its method `missing` is called if none fits."},
    {Py_tp_call, entry_call},
    {Py_tp_dealloc, entry_dealloc},
    {Py_tp_methods, entry_methods},
    {0, NULL},
};
static PyType_Spec entry_spec = {
    "cardan.numerics.compiled._entry.Entry", sizeof(Entry), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, entry_slots,
};

#if defined(__x86_64__) || defined(_M_X64)
#include <cpuid.h>

/* AVX2, FMA, BMI, LZCNT and MOVBE, and an operating system that saves the wide registers. */
static int has_v3(void)
{
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
    if ((c & (1u << 12 | 1u << 22 | 1u << 27 | 1u << 28)) != (1u << 12 | 1u << 22 | 1u << 27 | 1u << 28)) return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6) return 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    if ((b & (1u << 3 | 1u << 5 | 1u << 8)) != (1u << 3 | 1u << 5 | 1u << 8)) return 0;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & 1u << 5);
}
#else
static int has_v3(void) { return 0; }
#endif

static PyObject *supports_v3(PyObject *self, PyObject *unused)
{
    return PyBool_FromLong(has_v3());
}

static PyMethodDef functions[] = {
    {"supports_v3", supports_v3, METH_NOARGS, "Whether the processor runs code of the level x86-64-v3."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_entry", "Calls of prebuilt machine code.", -1, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__entry(void)
{
    PyObject *module = PyModule_Create(&definition), *type;
    if (!module) return NULL;
    address_name = PyUnicode_InternFromString("address");
    missing_name = PyUnicode_InternFromString("missing");
    opaque_name = PyUnicode_InternFromString("is_opaque");
    type = PyType_FromSpec(&entry_spec);
    if (!type || PyModule_AddObject(module, "Entry", type)) {
        Py_XDECREF(type);
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
