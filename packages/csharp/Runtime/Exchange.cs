using System;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Itemwright
{
    /// <summary>One request and its response.</summary>
    internal static class Exchange
    {
        private const string Lines = "application/x-ndjson";

        internal static async Task<Answer<T>> RunAsync<T>(
            Prepared prepared, Func<JsonValue, T> read, Action onChunk, CancellationToken cancellationToken)
        {
            using (var request = RequestOf(prepared))
            using (var response = await SendAsync(prepared.Http, request, cancellationToken).ConfigureAwait(false))
            {
                var received = await ReceiveAsync(prepared, response, onChunk, cancellationToken).ConfigureAwait(false);
                try
                {
                    return new Answer<T>(received.Json == null ? default(T) : read(received.Json), received);
                }
                catch (FormatException error)
                {
                    throw Errors.NotOurs(received.Status, error);
                }
            }
        }

        private static HttpRequestMessage RequestOf(Prepared prepared)
        {
            var request = new HttpRequestMessage(new HttpMethod(prepared.Operation.Method), prepared.Url);
            if (prepared.Body != null)
            {
                request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(prepared.Body));
                // Otherwise it may wait for permission to send the body.
                request.Headers.ExpectContinue = false;
            }
            foreach (var header in prepared.Headers)
                if (!request.Headers.TryAddWithoutValidation(header.Key, header.Value))
                    request.Content?.Headers.TryAddWithoutValidation(header.Key, header.Value);
            return request;
        }

        private static async Task<HttpResponseMessage> SendAsync(
            HttpClient http, HttpRequestMessage request, CancellationToken cancellationToken)
        {
            try
            {
                return await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken).ConfigureAwait(false);
            }
            // Whatever goes wrong before the whole response has arrived means that there was none.
            catch (Exception error)
            {
                throw Errors.Lost(error);
            }
        }

        private static async Task<Received> ReceiveAsync(
            Prepared prepared, HttpResponseMessage response, Action onChunk, CancellationToken cancellationToken)
        {
            var status = (int)response.StatusCode;
            var headers = new ResponseHeaders(response);
            var type = headers["content-type"] ?? "";
            var received = new Received { Status = status, Headers = headers };
            if (prepared.Progress != null && type.StartsWith(Lines, StringComparison.Ordinal))
            {
                await ReadLinesAsync(prepared, response, received, onChunk, cancellationToken).ConfigureAwait(false);
                return received;
            }
            received.Text = await ReadTextAsync(response, cancellationToken).ConfigureAwait(false);
            if (response.StatusCode == HttpStatusCode.NotModified) return received;
            if (headers["location"] != null || (status >= 300 && status < 400)) throw Errors.Redirected(status);
            if (!response.IsSuccessStatusCode) throw Errors.Of(status, headers, received.Text);
            if (!type.StartsWith("application/json", StringComparison.Ordinal)) throw Errors.NotOurs(status);
            received.Json = Parse(received.Text);
            received.Next = Addresses.Next(headers, status);
            return received;
        }

        private static JsonValue Parse(string text)
        {
            try
            {
                return JsonValue.Parse(text);
            }
            catch (FormatException error)
            {
                // What the service sends is JSON, so a part is missing.
                throw Errors.CutOff(error);
            }
        }

        private static async Task<string> ReadTextAsync(HttpResponseMessage response, CancellationToken cancellationToken)
        {
            var bytes = new MemoryStream();
            try
            {
                using (var stream = await response.Content.ReadAsStreamAsync().ConfigureAwait(false))
                    await stream.CopyToAsync(bytes, 81920, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception error)
            {
                throw Errors.Lost(error);
            }
            return Encoding.UTF8.GetString(bytes.GetBuffer(), 0, (int)bytes.Length);
        }

        /// <summary>Reads a response line by line until one has the result.</summary>
        private static async Task ReadLinesAsync(
            Prepared prepared, HttpResponseMessage response, Received received, Action onChunk, CancellationToken cancellationToken)
        {
            var decoder = Encoding.UTF8.GetDecoder();
            var bytes = new byte[16384];
            var characters = new char[16384];
            var text = new StringBuilder();
            using (var stream = await response.Content.ReadAsStreamAsync().ConfigureAwait(false))
                for (; ; )
                {
                    var count = await ReadAsync(stream, bytes, cancellationToken).ConfigureAwait(false);
                    if (count == 0) throw Errors.CutOff();
                    onChunk();
                    var decoded = decoder.GetChars(bytes, 0, count, characters, 0);
                    for (var index = 0; index < decoded; index += 1)
                    {
                        if (characters[index] != '\n')
                        {
                            text.Append(characters[index]);
                            continue;
                        }
                        received.Text = text.ToString();
                        text.Clear();
                        var line = Parse(received.Text);
                        if (line["error"] != null && !line["error"].IsNull) throw Errors.OfLine(received.Headers, line["error"]);
                        received.Json = line["result"];
                        if (received.Json != null) return;
                        if (line["progress"]?.Kind == JsonKind.Number) prepared.Progress.Report(line["progress"].AsDouble());
                    }
                }
        }

        private static async Task<int> ReadAsync(Stream stream, byte[] bytes, CancellationToken cancellationToken)
        {
            try
            {
                return await stream.ReadAsync(bytes, 0, bytes.Length, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception error)
            {
                throw Errors.Lost(error);
            }
        }
    }
}
