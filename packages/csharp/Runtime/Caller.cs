using System;
using System.Collections.Generic;
using System.Globalization;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Itemwright
{
    /// <summary>Turns calls into requests.</summary>
    internal sealed class Caller
    {
        /// <summary>Longer than the service takes at most: for a request, and for a computation or a publication.</summary>
        private static readonly TimeSpan ShortTimeout = TimeSpan.FromSeconds(35);
        private static readonly TimeSpan LongTimeout = TimeSpan.FromSeconds(150);

        private readonly ClientOptions client;
        private readonly HttpClient http;
        private readonly string url;
        private readonly string authorization;

        internal Caller(ClientOptions client, HttpClient http)
        {
            this.client = client;
            this.http = http;
            url = client.Url.TrimEnd('/');
            if (client.TeamId != null)
                authorization = "Basic " + Convert.ToBase64String(Encoding.UTF8.GetBytes(client.TeamId + ":" + client.Secret));
        }

        internal Call<T> Call<T>(
            Operation operation,
            Func<JsonValue, T> read,
            string[] ids,
            Model body,
            Query query,
            CallOptions options,
            CancellationToken cancellationToken) =>
            new Call<T>(StartAsync(operation, read, ids, body, query, null, options, cancellationToken));

        internal PagedList<T> List<T>(
            Operation operation, Func<JsonValue, T> read, string[] ids, Query query, CallOptions options) =>
            new PagedList<T>((cursor, cancellationToken) =>
                StartAsync(
                    operation, json => JsonTo.List(json, read), ids, null, query, cursor, options, cancellationToken));

        /// <summary>Asynchronous from the start, so that whatever is wrong with a call is thrown where it is awaited.</summary>
        private async Task<Answer<T>> StartAsync<T>(
            Operation operation,
            Func<JsonValue, T> read,
            string[] ids,
            Model body,
            Query query,
            string cursor,
            CallOptions options,
            CancellationToken cancellationToken)
        {
            var parameters = query == null ? new List<KeyValuePair<string, string>>() : query.Parameters();
            if (cursor != null)
            {
                parameters.RemoveAll(one => one.Key == "cursor");
                parameters.Add(new KeyValuePair<string, string>("cursor", cursor));
            }
            var path = Addresses.Fill(operation.Path, ids);
            var prepared = Prepare(operation, path, body, options ?? new CallOptions());
            prepared.Url = url + path + Addresses.Query(parameters);
            return await Sender.SendAsync(prepared, read, cancellationToken).ConfigureAwait(false);
        }

        private Prepared Prepare(Operation operation, string path, Model body, CallOptions options)
        {
            var headers = HeadersOf(operation, options, body);
            headers.TryGetValue("idempotency-key", out var key);
            return new Prepared
            {
                Http = http,
                Operation = operation,
                Path = path,
                Headers = headers,
                Body = body?.ToString(),
                Progress = (options as WatchOptions)?.Progress,
                IsRepeatable = operation.Verb != Verb.Once && (!operation.TakesKey || key != null),
                IdempotencyKey = key,
                Timeout = options.Timeout ?? client.Timeout ?? (operation.IsLong ? LongTimeout : ShortTimeout),
                TotalTimeout = options.TotalTimeout ?? client.TotalTimeout ?? Timeout.InfiniteTimeSpan,
                Retries = options.Retries ?? client.Retries ?? 4,
            };
        }

        private Dictionary<string, string> HeadersOf(Operation operation, CallOptions options, Model body)
        {
            var headers = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase)
            {
                ["accept"] = (options as WatchOptions)?.Progress == null ? "application/json" : "application/x-ndjson",
                ["user-agent"] = UserAgent.Value,
            };
            if (authorization != null) headers["authorization"] = authorization;
            foreach (var some in new[] { client.Headers, options.Headers })
                if (some != null)
                    foreach (var header in some) headers[header.Key] = header.Value;
            foreach (var value in headers.Values)
                if (value == null || value.IndexOfAny(new[] { '\r', '\n', '\0' }) >= 0)
                    throw new ArgumentException("A header must not have line breaks.");
            if (body != null) headers["content-type"] = "application/json";
            SetKey(headers, operation, options as PostOptions);
            if (options is ChangeOptions change && change.IfMatch != null) headers["if-match"] = change.IfMatch;
            if (options is PatchOptions patch && patch.IfMatch != null) headers["if-match"] = patch.IfMatch;
            if (options is ReadOptions known && known.IfNoneMatch != null) headers["if-none-match"] = known.IfNoneMatch;
            return headers;
        }

        private static void SetKey(Dictionary<string, string> headers, Operation operation, PostOptions options)
        {
            if (!operation.TakesKey) return;
            if (options != null && options.WithoutIdempotencyKey) headers.Remove("idempotency-key");
            else if (options?.IdempotencyKey != null) headers["idempotency-key"] = options.IdempotencyKey;
            else if (!headers.ContainsKey("idempotency-key")) headers["idempotency-key"] = Guid.NewGuid().ToString("N", CultureInfo.InvariantCulture);
        }
    }
}
