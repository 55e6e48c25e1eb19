using System.Globalization;
using System.Text;

namespace Itemwright
{
    internal static class JsonWriter
    {
        internal static string Write(JsonValue value)
        {
            var json = new StringBuilder();
            Write(value, json);
            return json.ToString();
        }

        private static void Write(JsonValue value, StringBuilder json)
        {
            switch (value.Kind)
            {
                case JsonKind.Null:
                    json.Append("null");
                    break;
                case JsonKind.String:
                    Write(value.Text, json);
                    break;
                case JsonKind.Array:
                    json.Append('[');
                    for (var index = 0; index < value.Items.Count; index += 1)
                    {
                        if (index > 0) json.Append(',');
                        Write(value.Items[index], json);
                    }
                    json.Append(']');
                    break;
                case JsonKind.Object:
                    json.Append('{');
                    for (var index = 0; index < value.Members.Count; index += 1)
                    {
                        if (index > 0) json.Append(',');
                        Write(value.Members[index].Key, json);
                        json.Append(':');
                        Write(value.Members[index].Value, json);
                    }
                    json.Append('}');
                    break;
                default:
                    json.Append(value.Text);
                    break;
            }
        }

        private static void Write(string text, StringBuilder json)
        {
            json.Append('"');
            for (var index = 0; index < text.Length; index += 1)
            {
                var one = text[index];
                if (char.IsHighSurrogate(one) && index + 1 < text.Length && char.IsLowSurrogate(text[index + 1]))
                {
                    json.Append(one).Append(text[index + 1]);
                    index += 1;
                }
                else if (one == '"' || one == '\\') json.Append('\\').Append(one);
                // Half of a pair has no bytes in UTF-8, so it would be replaced on its way.
                else if (one < ' ' || char.IsSurrogate(one))
                    json.Append("\\u").Append(((int)one).ToString("x4", CultureInfo.InvariantCulture));
                else json.Append(one);
            }
            json.Append('"');
        }
    }
}
