//! OneMax in Zig, over the C headers: fitness counts the zeros of a string of bits.
//!
//! With Zig 0.17:
//!
//!     zig translate-c -lc -I ../../plugins/sdk/include headers.h > headers.zig
//!     zig build-lib -dynamic -O ReleaseFast -lc ones.zig
//!     runner --plugin-dir . ones.toml

const std = @import("std");
const c = @import("headers.zig");

const Problem = struct { length: usize };

fn text(comptime words: []const u8) c.runner_text {
    return .{ .data = words.ptr, .length = words.len };
}

fn at(instance: ?*const anyopaque) *const Problem {
    return @ptrCast(@alignCast(instance));
}

fn create(values: [*c]const c.runner_value, _: u64, instance: [*c]?*anyopaque, _: [*c]c.runner_buffer) callconv(.c) i32 {
    const problem = std.heap.page_allocator.create(Problem) catch return c.RUNNER_FAILED;
    problem.length = @intCast(values[0].integer);
    instance.* = problem;
    return c.RUNNER_OK;
}

fn destroy(instance: ?*anyopaque) callconv(.c) void {
    const problem: *Problem = @ptrCast(@alignCast(instance));
    std.heap.page_allocator.destroy(problem);
}

fn describe(instance: ?*const anyopaque, out: [*c]c.runner_description, _: [*c]c.runner_buffer) callconv(.c) i32 {
    const length = at(instance).length;
    out.*.encoding = c.RUNNER_ENCODING_BITS;
    out.*.gene = c.RUNNER_GENE_U8;
    out.*.genome_length = length;
    out.*.ideal = 0;
    out.*.worst = @floatFromInt(length);
    return c.RUNNER_OK;
}

fn sample(instance: ?*const anyopaque, seed: [*c]const u8, first_row: u64, rows: u64, genomes: ?*anyopaque, _: [*c]c.runner_buffer) callconv(.c) i32 {
    const length = at(instance).length;
    const genes: [*]u8 = @ptrCast(genomes);
    for (0..rows) |row| {
        var random = c.runner_random_of_row(seed, first_row + row);
        for (genes[row * length ..][0..length]) |*gene| {
            gene.* = @intCast(c.runner_random_below(&random, 2));
        }
    }
    return c.RUNNER_OK;
}

fn evaluate(instance: ?*const anyopaque, rows: u64, genomes: ?*const anyopaque, fitness: [*c]f64, _: [*c]c.runner_buffer) callconv(.c) i32 {
    const length = at(instance).length;
    const genes: [*]const u8 = @ptrCast(genomes);
    for (0..rows) |row| {
        const zeros = std.mem.count(u8, genes[row * length ..][0..length], &.{0});
        fitness[row] = @floatFromInt(zeros);
    }
    return c.RUNNER_OK;
}

const parameters = [_]c.runner_parameter{parameter: {
    var length = std.mem.zeroes(c.runner_parameter);
    length.key = text("length");
    length.doc = text("Bits of a genome.");
    length.kind = c.RUNNER_INTEGER;
    length.fallback.kind = c.RUNNER_INTEGER;
    length.fallback.integer = 20;
    length.integer_low = 1;
    length.integer_high = 1_000_000;
    break :parameter length;
}};

export const runner_plugin_table: c.runner_plugin = table: {
    var made = std.mem.zeroes(c.runner_plugin);
    made.abi_major = c.RUNNER_ABI_MAJOR;
    made.abi_minor = c.RUNNER_ABI_MINOR;
    made.struct_size = @sizeOf(c.runner_plugin);
    made.name = text("ones");
    made.version = text("1");
    made.summary = text("Zeros in a string of bits, in Zig.");
    made.parameters = &parameters;
    made.parameter_count = parameters.len;
    made.parameter_size = @sizeOf(c.runner_parameter);
    made.create = create;
    made.destroy = destroy;
    made.describe = describe;
    made.sample = sample;
    made.evaluate = evaluate;
    break :table made;
};
