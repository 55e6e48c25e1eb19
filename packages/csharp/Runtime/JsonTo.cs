using System;
using System.Collections.Generic;

namespace Itemwright
{
    /// <summary>Members from JSON. Null stands for null and for nothing.</summary>
    internal static class JsonTo
    {
        internal static string Text(JsonValue json) => IsNone(json) ? null : json.AsString();

        internal static bool? Flag(JsonValue json) => IsNone(json) ? (bool?)null : json.AsBoolean();

        internal static double? Number(JsonValue json) => IsNone(json) ? (double?)null : json.AsDouble();

        internal static long? Integer(JsonValue json) => IsNone(json) ? (long?)null : json.AsInt64();

        internal static bool SureFlag(JsonValue json) => Flag(json) ?? false;

        internal static double SureNumber(JsonValue json) => Number(json) ?? 0;

        internal static long SureInteger(JsonValue json) => Integer(json) ?? 0;

        internal static JsonValue Any(JsonValue json) => IsNone(json) ? null : json;

        internal static IReadOnlyList<T> List<T>(JsonValue json, Func<JsonValue, T> read)
        {
            if (IsNone(json)) return null;
            if (json.Kind != JsonKind.Array) throw new FormatException("A JSON " + json.Kind + " is where an array should be.");
            var list = new List<T>(json.Items.Count);
            foreach (var item in json.Items) list.Add(read(item));
            return list;
        }

        internal static IReadOnlyDictionary<string, T> Map<T>(JsonValue json, Func<JsonValue, T> read)
        {
            if (IsNone(json)) return null;
            if (json.Kind != JsonKind.Object) throw new FormatException("A JSON " + json.Kind + " is where an object should be.");
            var map = new Dictionary<string, T>();
            foreach (var member in json.Members) map[member.Key] = read(member.Value);
            return map;
        }

        /// <summary>Null for an object without members.</summary>
        internal static T Unempty<T>(JsonValue json, Func<JsonValue, T> read)
            where T : class => json.Members.Count == 0 ? null : read(json);

        private static bool IsNone(JsonValue json) => json == null || json.IsNull;
    }
}
