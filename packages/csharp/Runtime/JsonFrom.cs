using System;
using System.Collections.Generic;

namespace Itemwright
{
    /// <summary>Members to JSON.</summary>
    internal static class JsonFrom
    {
        internal static JsonValue Text(string value) => value;

        internal static JsonValue Flag(bool? value) => value.HasValue ? value.Value : JsonValue.Null;

        internal static JsonValue Number(double? value) => value.HasValue ? (JsonValue)value.Value : JsonValue.Null;

        internal static JsonValue Integer(long? value) => value.HasValue ? (JsonValue)value.Value : JsonValue.Null;

        internal static JsonValue Any(JsonValue value) => value ?? JsonValue.Null;

        internal static JsonValue Model(Model value) => value == null ? JsonValue.Null : value.ToJson();

        internal static JsonValue Unempty(Model value) =>
            value == null ? JsonValue.Object(new KeyValuePair<string, JsonValue>[0]) : value.ToJson();

        internal static JsonValue List<T>(IReadOnlyList<T> values, Func<T, JsonValue> write)
        {
            if (values == null) return JsonValue.Null;
            var list = new List<JsonValue>(values.Count);
            foreach (var value in values) list.Add(write(value));
            return JsonValue.Array(list);
        }

        internal static JsonValue Map<T>(IReadOnlyDictionary<string, T> values, Func<T, JsonValue> write)
        {
            if (values == null) return JsonValue.Null;
            var members = new List<KeyValuePair<string, JsonValue>>(values.Count);
            foreach (var value in values) members.Add(new KeyValuePair<string, JsonValue>(value.Key, write(value.Value)));
            return JsonValue.Object(members);
        }

        /// <summary>Adds a member that may be null.</summary>
        internal static void Add(this List<KeyValuePair<string, JsonValue>> members, string name, JsonValue value) =>
            members.Add(new KeyValuePair<string, JsonValue>(name, value));

        /// <summary>Adds a member that is left out if there is none.</summary>
        internal static void AddGiven(this List<KeyValuePair<string, JsonValue>> members, string name, JsonValue value)
        {
            if (!value.IsNull) members.Add(name, value);
        }

        /// <summary>Adds a member that may be null, and may be left out.</summary>
        internal static void AddOptional<T>(
            this List<KeyValuePair<string, JsonValue>> members, string name, Optional<T> value, Func<T, JsonValue> write)
        {
            if (value.IsGiven) members.Add(name, write(value.Value));
        }
    }
}
