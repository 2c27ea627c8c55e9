"""What implicit methods must know of devices: how their outputs and states depend on each other, by differences.

A law f along z whose device has the states x, x' = g(z, z', x), gives for a small change that lasts s = h/mu

    (1/s - G) dx = r + H_z dz + H_v dz'         G = dg/dx, H = dg/d(z, z')
    df           = k dz + c dz' + F dx           F = df/dx

With P = (1/s - G)^-1 the states are eliminated: they bend stiffness and damping to k + F P H_z and c + F P H_v, and
push the law by F P r. So the current of a motor acts as the damper that it is, and oil under pressure as a spring.
What devices do to each other, and to other measures than their law's, is left to the iteration.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.numerics.compiled.indirect import pointer_to
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.functions.function import call_address
from cardan.system.circuit import read_inputs

ARGUMENT_STEP = 1e-7  # of an argument, to find what depends on it


def prepare_slopes(circuit: Any) -> None:
    """Compile what is needed for the devices of a circuit."""
    if not circuit.devices[0]:
        return
    z, slope, s, right = np.zeros((1, 3)), np.zeros((1, 2)), 1j, np.zeros(1, complex)
    circuit.kernels.slopes = pointer_to(device_slopes, circuit, 0.0, z, slope)
    if circuit.block.size:
        bent = np.zeros((1, 2), complex)
        circuit.kernels.bend = pointer_to(bend_slopes, circuit, s, bent)
        circuit.kernels.push = pointer_to(push_states, circuit, s, right, right)
        circuit.kernels.pull = pointer_to(pull_states, circuit, s, bent, right)


@kernel(internal=True)
def device_slopes(circuit, t, z, slope):
    """Add to the stiffness and damping of each law what its device does along the law's own measure; find G, F, H."""
    own, arguments, results = circuit.own, circuit.arguments, circuit.results
    first, last, state = circuit.output_start, circuit.state_start, circuit.state
    for d in range(circuit.devices[0]):
        n, outputs = np.int64(last[d + 1]) - np.int64(last[d]), np.int64(first[d + 1]) - np.int64(first[d])
        before = np.int64(circuit.input_start[d + 1]) - np.int64(circuit.input_start[d])
        if n:
            read_inputs(circuit, d, t, z, last[d + 1])
        for j in range(n):
            value = arguments[before + j]
            step = ARGUMENT_STEP * max(abs(value), 1e-3)
            arguments[before + j] = value + step
            fine = call_address(circuit.address[d], arguments, arguments, results) == 0
            arguments[before + j] = value
            for i in range(n):
                change = results[outputs + i] - circuit.rates[state[last[d] + i]]
                circuit.block[circuit.block_start[d] + i * n + j] = change / step if fine else 0.0
            for k in range(own.shape[0]):
                if own[k, 1] == d:
                    output = own[k, 2]
                    change = results[output] - circuit.signals[first[d] + output]
                    circuit.own_push[k, j] = change / step if fine else 0.0
    for k in range(own.shape[0]):
        law, d, output, place, level = own[k, 0], own[k, 1], own[k, 2], own[k, 3], own[k, 4]
        read_inputs(circuit, d, t, z, last[d + 1])
        value, outputs = arguments[place], np.int64(first[d + 1]) - np.int64(first[d])
        step = ARGUMENT_STEP * max(abs(value), 1e-3)
        arguments[place] = value + step
        if call_address(circuit.address[d], arguments, arguments, results) == 0:
            by = circuit.own_factor[k] / step
            slope[law, level] += (results[output] - circuit.signals[first[d] + output]) * by
            for j in range(np.int64(last[d + 1]) - np.int64(last[d])):
                change = results[outputs + j] - circuit.rates[state[last[d] + j]]
                circuit.own_pull[k, j] = change * by
    return 0


@kernel(internal=True)
def bend_slopes(circuit, s, slope):
    """slope += F P H"""
    own, push, pull, matrix = circuit.own, circuit.own_push, circuit.own_pull, circuit.matrix
    for k in range(own.shape[0]):
        d = own[k, 1]
        n = np.int64(circuit.state_start[d + 1]) - np.int64(circuit.state_start[d])
        for j in range(n):
            matrix[j, n] = pull[k, j]
        _solve(circuit, d, s)
        for j in range(n):
            slope[own[k, 0], own[k, 4]] += push[k, j] * matrix[j, n]
    return 0


@kernel(internal=True)
def push_states(circuit, s, right, product):
    """right <- P right for all devices; product += F right"""
    own, push, matrix, state, last = circuit.own, circuit.own_push, circuit.matrix, circuit.state, circuit.state_start
    for d in range(circuit.devices[0]):
        n = np.int64(last[d + 1]) - np.int64(last[d])
        for j in range(n):
            matrix[j, n] = right[state[last[d] + j]]
        _solve(circuit, d, s)
        for j in range(n):
            right[state[last[d] + j]] = matrix[j, n]
    for k in range(own.shape[0]):
        if k > 0 and own[k, 0] == own[k - 1, 0]:
            continue  # value and rate as inputs of one law, which it depends on once
        d = own[k, 1]
        for j in range(np.int64(last[d + 1]) - np.int64(last[d])):
            product[own[k, 0]] += push[k, j] * right[state[last[d] + j]]
    return 0


@kernel(internal=True)
def pull_states(circuit, s, change, right):
    """right += P H change, with the changes of value and rate along each law"""
    own, pull, matrix, state, last = circuit.own, circuit.own_pull, circuit.matrix, circuit.state, circuit.state_start
    for k in range(own.shape[0]):
        d, law = own[k, 1], own[k, 0]
        for earlier in range(k):
            if own[earlier, 1] == d and own[earlier, 3] == own[k, 3]:
                d = circuit.devices[0]  # another law of the device, along the same measure, has set it already
                break
        if d == circuit.devices[0]:
            continue
        n = np.int64(last[d + 1]) - np.int64(last[d])
        for j in range(n):
            matrix[j, n] = pull[k, j] * change[law, own[k, 4]]
        _solve(circuit, d, s)
        for j in range(n):
            right[state[last[d] + j]] += matrix[j, n]
    return 0


@kernel(internal=True)
def _solve(circuit, d, s):
    """x = (1/s - G)^-1 b for one device; b and x stand in the last column of the matrix, which is filled here."""
    matrix, block, first = circuit.matrix, circuit.block, circuit.block_start[d]
    n = np.int64(circuit.state_start[d + 1]) - np.int64(circuit.state_start[d])
    for i in range(n):
        for j in range(n):
            matrix[i, j] = (1.0 / s if i == j else 0.0) - block[first + i * n + j]
    for i in range(n):
        best = i
        for k in range(i + 1, n):
            if abs(matrix[k, i]) > abs(matrix[best, i]):
                best = k
        for j in range(i, n + 1):
            matrix[i, j], matrix[best, j] = matrix[best, j], matrix[i, j]
        for k in range(i + 1, n):
            factor = matrix[k, i] / matrix[i, i]
            for j in range(i, n + 1):
                matrix[k, j] -= factor * matrix[i, j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            matrix[i, n] -= matrix[i, j] * matrix[j, n]
        matrix[i, n] /= matrix[i, i]
