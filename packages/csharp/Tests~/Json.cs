using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Itemwright.Tests
{
    /// <summary>What is sent back to the test.</summary>
    internal static class Json
    {
        internal static JsonValue Object(params object[] namesAndValues)
        {
            var members = new Dictionary<string, JsonValue>();
            for (var index = 0; index < namesAndValues.Length; index += 2)
                members[(string)namesAndValues[index]] = Of(namesAndValues[index + 1]);
            return JsonValue.Object(members);
        }

        internal static JsonValue Of(object value)
        {
            if (value == null) return JsonValue.Null;
            if (value is JsonValue json) return json;
            if (value is Model model) return model.ToJson();
            if (value is string text) return text;
            if (value is bool flag) return flag;
            if (value is int integer) return integer;
            if (value is long large) return large;
            if (value is double number) return number;
            if (value is IReadOnlyDictionary<string, string> map)
                return JsonValue.Object(map.ToDictionary(one => one.Key, one => (JsonValue)one.Value));
            if (value is IEnumerable list) return JsonValue.Array(list.Cast<object>().Select(Of));
            throw new ArgumentException("cannot write a " + value.GetType());
        }

        internal static JsonValue Error(Exception error)
        {
            var failed = error as ItemwrightException;
            if (failed == null) return Object("type", error.GetType().Name, "message", error.Message, "stack", error.ToString());
            return Object(
                "type", failed.GetType().Name,
                "isConnectionException", failed is ConnectionException,
                "message", failed.Message,
                "operation", failed.Operation,
                "method", failed.Method,
                "path", failed.Path,
                "status", failed.Status,
                "code", failed.Code,
                "issues", failed.Issues.Select(issue => Object("path", issue.Path, "message", issue.Message)),
                "requestId", failed.RequestId,
                "retryAfterMs", failed.RetryAfter?.TotalMilliseconds,
                "isTemporary", failed.IsTemporary,
                "maybeDone", failed.MaybeDone,
                "attempts", failed.Attempts,
                "idempotencyKey", failed.IdempotencyKey,
                "cause", failed.InnerException?.GetType().Name);
        }

        /// <summary>The names of all members, however deep, that no class has a property for.</summary>
        internal static IEnumerable<string> Unknown(object value)
        {
            if (value is Model model)
                return (model.AdditionalMembers?.Keys.Select(name => model.GetType().Name + "." + name) ?? new string[0])
                    .Concat(model.GetType().GetProperties(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly)
                        .SelectMany(property => Unknown(property.GetValue(model))));
            if (value is IEnumerable list && !(value is string)) return list.Cast<object>().SelectMany(Unknown);
            return new string[0];
        }
    }
}
