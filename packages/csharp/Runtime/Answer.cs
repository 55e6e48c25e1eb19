using System.Collections.Generic;
using System.Linq;
using System.Net.Http;

namespace Itemwright
{
    /// <summary>The headers of a response; names are found however they are spelt.</summary>
    public sealed class ResponseHeaders
    {
        private readonly HttpResponseMessage response;

        internal ResponseHeaders(HttpResponseMessage response)
        {
            this.response = response;
        }

        /// <summary>The value of a header; null if it is not there.</summary>
        public string this[string name]
        {
            get
            {
                if (response.Headers.TryGetValues(name, out var values)) return string.Join(", ", values);
                if (response.Content != null && response.Content.Headers.TryGetValues(name, out values))
                    return string.Join(", ", values);
                return null;
            }
        }

        /// <summary>The names of all headers.</summary>
        public IEnumerable<string> Names =>
            response.Headers.Concat(response.Content?.Headers.AsEnumerable()
                ?? Enumerable.Empty<KeyValuePair<string, IEnumerable<string>>>()).Select(header => header.Key);
    }

    /// <summary>The result of a call, and the response that it came with.</summary>
    public sealed class Answer<T>
    {
        internal Answer(T data, Received received)
        {
            Data = data;
            Status = received.Status;
            Headers = received.Headers;
            Text = received.Text;
            Next = received.Next;
        }

        public T Data { get; }

        public int Status { get; }

        public ResponseHeaders Headers { get; }

        /// <summary>The <c>ETag</c> of what was read or written, for <see cref="ChangeOptions.IfMatch"/>.</summary>
        public string ETag => Headers["etag"];

        /// <summary>The query parameters of what follows, if there is more: <c>cursor</c> for lists, <c>from</c> for proofs.</summary>
        public IReadOnlyDictionary<string, string> Next { get; }

        /// <summary>The id of the request in the log of the service.</summary>
        public string RequestId => Headers["x-request-id"];

        /// <summary>The body as it was sent.</summary>
        public string Text { get; }
    }

    /// <summary>A response that was read, with the JSON in it; that is null for a 304.</summary>
    internal sealed class Received
    {
        internal int Status;
        internal ResponseHeaders Headers;
        internal string Text;
        internal JsonValue Json;
        internal IReadOnlyDictionary<string, string> Next;
    }
}
