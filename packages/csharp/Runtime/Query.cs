using System.Collections.Generic;
using System.Globalization;

namespace Itemwright
{
    /// <summary>The query of a request.</summary>
    public abstract class Query
    {
        internal List<KeyValuePair<string, string>> Parameters()
        {
            var parameters = new List<KeyValuePair<string, string>>();
            WriteParameters(parameters);
            return parameters;
        }

        internal abstract void WriteParameters(List<KeyValuePair<string, string>> parameters);
    }

    internal static class QueryParameters
    {
        internal static void Set(this List<KeyValuePair<string, string>> parameters, string name, string value)
        {
            if (value != null) parameters.Add(new KeyValuePair<string, string>(name, value));
        }

        internal static void Set(this List<KeyValuePair<string, string>> parameters, string name, long? value) =>
            parameters.Set(name, value?.ToString(CultureInfo.InvariantCulture));

        internal static void Set(this List<KeyValuePair<string, string>> parameters, string name, bool? value) =>
            parameters.Set(name, value == null ? null : value.Value ? "true" : "false");

        internal static void Set(this List<KeyValuePair<string, string>> parameters, string name, IReadOnlyList<string> values)
        {
            if (values == null) return;
            foreach (var value in values) parameters.Set(name, value);
        }
    }
}
