using System;
using System.Collections.Generic;
using System.Net.Http;

namespace Itemwright
{
    /// <summary>How calls are made; each call can override what the client has.</summary>
    public class CallOptions
    {
        /// <summary>How long an attempt may take: 35 seconds by default; 150 for computations and publications.</summary>
        public TimeSpan? Timeout { get; set; }

        /// <summary>How long the call may take with all of its attempts; by default only their number limits it.</summary>
        public TimeSpan? TotalTimeout { get; set; }

        /// <summary>How often a request is sent again if that is safe and may help; 4 by default.</summary>
        public int? Retries { get; set; }

        /// <summary>Additional headers, such as <c>x-request-id</c>; they replace those that the client sends.</summary>
        public IReadOnlyDictionary<string, string> Headers { get; set; }
    }

    /// <summary>Options of a POST that has an effect.</summary>
    public class PostOptions : CallOptions
    {
        /// <summary>
        /// Identifies the call, so that it takes effect once however often it is sent: the id of the purchase, for example.
        /// By default, each call has a new one.
        /// </summary>
        public string IdempotencyKey { get; set; }

        /// <summary>Whether the call has no key; it is not retried then.</summary>
        public bool WithoutIdempotencyKey { get; set; }
    }

    /// <summary>Options of a PATCH, which has a key and can depend on what was seen.</summary>
    public sealed class PatchOptions : PostOptions
    {
        /// <summary>The same as <see cref="ChangeOptions.IfMatch"/>.</summary>
        public string IfMatch { get; set; }
    }

    /// <summary>Options of a change that can depend on what was seen.</summary>
    public sealed class ChangeOptions : CallOptions
    {
        /// <summary>
        /// The <c>ETag</c> of what was seen: if it was changed since, the call fails with a
        /// <see cref="PreconditionFailedException"/>.
        /// </summary>
        public string IfMatch { get; set; }
    }

    /// <summary>Options of a read that can depend on what is known already.</summary>
    public sealed class ReadOptions : CallOptions
    {
        /// <summary>The <c>ETag</c> of what is known: if it is unchanged, the result is null.</summary>
        public string IfNoneMatch { get; set; }
    }

    /// <summary>Options of a call that reports its progress.</summary>
    public sealed class WatchOptions : CallOptions
    {
        /// <summary>Told how far it is, from 0 to 1.</summary>
        public IProgress<double> Progress { get; set; }
    }

    public sealed class ClientOptions : CallOptions
    {
        /// <summary>The address of the service, with its path prefix if it has one: <c>https://items.example.com</c>.</summary>
        public string Url { get; set; }

        /// <summary>Team and secret; without them only what is public can be read.</summary>
        public string TeamId { get; set; }

        public string Secret { get; set; }

        /// <summary>
        /// Sends the requests instead of one of the client's own, and is not disposed of with the client. It must not follow
        /// redirects, and its timeout should be infinite.
        /// </summary>
        public HttpClient HttpClient { get; set; }
    }
}
