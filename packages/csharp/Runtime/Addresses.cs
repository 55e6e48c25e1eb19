using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Itemwright
{
    /// <summary>Writes paths and queries, and reads the latter.</summary>
    internal static class Addresses
    {
        private const string Unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
        private static readonly Encoding Strict = new UTF8Encoding(false, true);

        /// <summary>
        /// Percent-encodes all but letters, digits and <c>-_.~</c>. Throws an <see cref="ArgumentException"/> for half of a
        /// surrogate pair, which <see cref="Uri.EscapeDataString(string)"/> does only in some versions.
        /// </summary>
        internal static string Encode(string text)
        {
            var encoded = new StringBuilder();
            foreach (var one in Strict.GetBytes(text))
                if (Unreserved.IndexOf((char)one) >= 0) encoded.Append((char)one);
                else encoded.Append('%').Append(one.ToString("X2", CultureInfo.InvariantCulture));
            return encoded.ToString();
        }

        /// <summary>Fills the parameters of a path in, in their order.</summary>
        internal static string Fill(string path, string[] ids)
        {
            var parts = path.Split('/');
            var used = 0;
            for (var index = 0; index < parts.Length; index += 1)
                if (parts[index].StartsWith("{", StringComparison.Ordinal))
                    parts[index] = EncodeId(ids[used++], parts[index].Trim('{', '}'));
            return string.Join("/", parts);
        }

        internal static string Query(IEnumerable<KeyValuePair<string, string>> parameters)
        {
            var query = new StringBuilder();
            foreach (var parameter in parameters)
                query.Append(query.Length == 0 ? '?' : '&').Append(Encode(parameter.Key)).Append('=').Append(Encode(parameter.Value));
            return query.ToString();
        }

        /// <summary>The parameters of an address that follows; null if there is none.</summary>
        internal static IReadOnlyDictionary<string, string> Next(ResponseHeaders headers, int status)
        {
            var link = headers["link"];
            var end = link == null ? -1 : link.IndexOf(">; rel=\"next\"", StringComparison.Ordinal);
            if (end < 0) return null;
            var start = link.LastIndexOf('<', end) + 1;
            var address = link.Substring(start, end - start);
            if (start == 0 || !Uri.TryCreate(new Uri("http://localhost"), address, out _)) throw Errors.NotOurs(status);
            var parameters = new Dictionary<string, string>();
            var query = address.IndexOf('?');
            if (query < 0) return parameters;
            foreach (var parameter in address.Substring(query + 1).Split('#')[0].Split('&'))
            {
                var parts = parameter.Split(new[] { '=' }, 2);
                parameters[Decode(parts[0])] = parts.Length > 1 ? Decode(parts[1]) : "";
            }
            return parameters;
        }

        private static string Decode(string text) => Uri.UnescapeDataString(text.Replace('+', ' '));

        /// <summary>An empty id, or one that an address leaves out, would reach another path.</summary>
        private static string EncodeId(string id, string name)
        {
            if (string.IsNullOrEmpty(id) || id == "." || id == "..")
                throw new ArgumentException(name + " must be an id, not " + (id == null ? "null" : "\"" + id + "\"") + ".", name);
            return Encode(id);
        }
    }
}
