using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Itemwright.Tests
{
    /// <summary>Fills bodies, queries and options from JSON, by setting properties as a program would.</summary>
    internal static class Filled
    {
        internal static object Of(Type type, JsonValue json)
        {
            if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(Optional<>))
                return Activator.CreateInstance(type, Of(type.GetGenericArguments()[0], json));
            if (json.IsNull) return null;
            type = Nullable.GetUnderlyingType(type) ?? type;
            if (type == typeof(JsonValue)) return json;
            if (type == typeof(string)) return json.Kind == JsonKind.String ? json.AsString() : json.ToString();
            if (type == typeof(bool)) return json.AsBoolean();
            if (type == typeof(double)) return json.AsDouble();
            if (type == typeof(long)) return json.AsInt64();
            if (type == typeof(int)) return (int)json.AsInt64();
            if (type == typeof(TimeSpan)) return TimeSpan.FromMilliseconds(json.AsDouble());
            if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IReadOnlyList<>)) return ListOf(type, json);
            if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IReadOnlyDictionary<,>)) return MapOf(type, json);
            return ObjectOf(type, json);
        }

        private static object ListOf(Type type, JsonValue json)
        {
            var inner = type.GetGenericArguments()[0];
            var array = Array.CreateInstance(inner, json.Items.Count);
            for (var index = 0; index < array.Length; index += 1) array.SetValue(Of(inner, json[index]), index);
            return array;
        }

        private static object MapOf(Type type, JsonValue json)
        {
            var inner = type.GetGenericArguments()[1];
            var map = Activator.CreateInstance(typeof(Dictionary<,>).MakeGenericType(typeof(string), inner));
            foreach (var member in json.Members)
                map.GetType().GetMethod("Add").Invoke(map, new[] { member.Key, Of(inner, member.Value) });
            return map;
        }

        private static object ObjectOf(Type type, JsonValue json)
        {
            if (type.IsAbstract) return ObjectOf(ChoiceOf(type, json), json);
            var filled = Activator.CreateInstance(type);
            foreach (var member in json.Members)
            {
                var property = PropertyOf(type, member.Key);
                if (property == null) throw new ArgumentException(type.Name + " has no " + member.Key);
                if (property.CanWrite) property.SetValue(filled, Of(property.PropertyType, member.Value));
                else if ((string)property.GetValue(filled) != member.Value.AsString())
                    throw new ArgumentException(member.Key + " is another one");
            }
            return filled;
        }

        /// <summary>The one of several models that has all of the members, and says the same where it is constant.</summary>
        private static Type ChoiceOf(Type type, JsonValue json) =>
            type.Assembly.GetTypes().First(one =>
                one.BaseType == type && json.Members.All(member => PropertyOf(one, member.Key) is PropertyInfo property
                    && (property.CanWrite || (string)property.GetValue(Activator.CreateInstance(one)) == member.Value.AsString())));

        private static PropertyInfo PropertyOf(Type type, string member)
        {
            var name = char.ToUpperInvariant(member[0]) + member.Substring(1);
            if (name.EndsWith("Ms", StringComparison.Ordinal)) name = name.Substring(0, name.Length - 2);
            return type.GetProperty(name == type.Name ? name + "Value" : name);
        }
    }
}
