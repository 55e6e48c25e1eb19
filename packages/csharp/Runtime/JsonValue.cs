using System;
using System.Collections.Generic;
using System.Globalization;

namespace Itemwright
{
    /// <summary>The kinds of JSON values.</summary>
    public enum JsonKind
    {
        Null,
        Boolean,
        Number,
        String,
        Array,
        Object,
    }

    /// <summary>
    /// A JSON value that cannot be changed: for what has no class of its own, such as the <c>data</c> of an item. JSON is
    /// read and written here and not by a library, since those that look into classes at run time break when Unity strips
    /// and compiles ahead of time, and none is there on every platform.
    /// </summary>
    public sealed class JsonValue
    {
        private static readonly JsonValue[] NoItems = new JsonValue[0];
        private static readonly KeyValuePair<string, JsonValue>[] NoMembers = new KeyValuePair<string, JsonValue>[0];

        /// <summary>JSON's null, which is not C#'s: a member that is absent is null in C#.</summary>
        public static readonly JsonValue Null = new JsonValue(JsonKind.Null, null, null, null);
        public static readonly JsonValue True = new JsonValue(JsonKind.Boolean, "true", null, null);
        public static readonly JsonValue False = new JsonValue(JsonKind.Boolean, "false", null, null);

        private readonly string text;
        private readonly IReadOnlyList<JsonValue> items;
        private readonly IReadOnlyList<KeyValuePair<string, JsonValue>> members;

        private JsonValue(
            JsonKind kind,
            string text,
            IReadOnlyList<JsonValue> items,
            IReadOnlyList<KeyValuePair<string, JsonValue>> members)
        {
            Kind = kind;
            this.text = text;
            this.items = items ?? NoItems;
            this.members = members ?? NoMembers;
        }

        public JsonKind Kind { get; }

        public bool IsNull => Kind == JsonKind.Null;

        /// <summary>The values of an array; none for other kinds.</summary>
        public IReadOnlyList<JsonValue> Items => items;

        /// <summary>The members of an object, in their order; none for other kinds.</summary>
        public IReadOnlyList<KeyValuePair<string, JsonValue>> Members => members;

        /// <summary>The member of that name; null if there is none, or if this is not an object.</summary>
        public JsonValue this[string name]
        {
            get
            {
                // Of two with the same name the last one counts, as everywhere.
                for (var index = members.Count - 1; index >= 0; index -= 1)
                    if (members[index].Key == name) return members[index].Value;
                return null;
            }
        }

        /// <summary>The value at that place of an array.</summary>
        public JsonValue this[int index] => items[index];

        public string AsString() => Expect(JsonKind.String).text;

        public bool AsBoolean() => ReferenceEquals(Expect(JsonKind.Boolean), True);

        public double AsDouble() =>
            double.Parse(Expect(JsonKind.Number).text, NumberStyles.Float, CultureInfo.InvariantCulture);

        /// <summary>An integer; also if it is written with an exponent or a fraction of zero.</summary>
        public long AsInt64()
        {
            var number = Expect(JsonKind.Number).text;
            if (long.TryParse(number, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var integer))
                return integer;
            var value = AsDouble();
            if (value != Math.Floor(value) || Math.Abs(value) >= 9.2e18)
                throw new FormatException("The JSON number " + number + " is not an integer.");
            return (long)value;
        }

        /// <summary>Reads JSON; throws a <see cref="FormatException"/> if the text is none.</summary>
        public static JsonValue Parse(string json) => new JsonReader(json).ReadAll();

        public static JsonValue Array(params JsonValue[] values) => Array((IEnumerable<JsonValue>)values);

        public static JsonValue Array(IEnumerable<JsonValue> values)
        {
            var list = new List<JsonValue>();
            foreach (var value in values) list.Add(value ?? Null);
            return new JsonValue(JsonKind.Array, null, list, null);
        }

        /// <summary>An object: <c>JsonValue.Object(new Dictionary&lt;string, JsonValue&gt; { ["sound"] = "clang" })</c>.</summary>
        public static JsonValue Object(IEnumerable<KeyValuePair<string, JsonValue>> members)
        {
            var list = new List<KeyValuePair<string, JsonValue>>();
            foreach (var member in members)
                list.Add(new KeyValuePair<string, JsonValue>(member.Key, member.Value ?? Null));
            return new JsonValue(JsonKind.Object, null, null, list);
        }

        public static implicit operator JsonValue(string value) =>
            value == null ? Null : new JsonValue(JsonKind.String, value, null, null);

        public static implicit operator JsonValue(bool value) => value ? True : False;

        public static implicit operator JsonValue(int value) => (long)value;

        public static implicit operator JsonValue(long value) =>
            Number(value.ToString(CultureInfo.InvariantCulture));

        public static implicit operator JsonValue(double value)
        {
            if (double.IsNaN(value) || double.IsInfinity(value))
                throw new ArgumentException("JSON has no number " + value.ToString(CultureInfo.InvariantCulture) + ".");
            return Number(value.ToString("R", CultureInfo.InvariantCulture));
        }

        /// <summary>The value as JSON.</summary>
        public override string ToString() => JsonWriter.Write(this);

        /// <summary>A number as it is written, so that none loses digits that nobody looked at.</summary>
        internal static JsonValue Number(string text) => new JsonValue(JsonKind.Number, text, null, null);

        /// <summary>How a number or a boolean is written, and what a string has in it.</summary>
        internal string Text => text;

        private JsonValue Expect(JsonKind kind)
        {
            if (Kind != kind) throw new FormatException("A JSON " + Kind + " is where a " + kind + " should be.");
            return this;
        }
    }
}
