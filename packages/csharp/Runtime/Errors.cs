using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Itemwright
{
    /// <summary>The errors that responses are.</summary>
    internal static class Errors
    {
        private static readonly int[] Temporary = { 408, 429, 500, 502, 503, 504 };

        /// <summary>A response that the service would never give.</summary>
        internal static ItemwrightException NotOurs(int status, Exception cause = null) =>
            new ItemwrightException(
                "The response is not from Itemwright: check the url of the client.",
                new ErrorDetails { Status = status, Cause = cause });

        internal static ItemwrightException Redirected(int status) =>
            new ItemwrightException(
                "The service redirects: the url of the client must be its address.", new ErrorDetails { Status = status });

        internal static ConnectionException CutOff(Exception cause = null) =>
            new ConnectionException("The response was cut off.", cause);

        internal static ConnectionException Lost(Exception cause) =>
            new ConnectionException("The connection failed before the whole response arrived.", cause);

        internal static ItemwrightException Of(int status, ResponseHeaders headers, string text)
        {
            var body = BodyOf(text);
            var shouldRetry = headers["x-should-retry"];
            return Of(
                TextOf(body?["message"]) ?? "The service returned status " + status + ".",
                new ErrorDetails
                {
                    Status = status,
                    Code = TextOf(body?["code"]),
                    Issues = IssuesOf(body),
                    RequestId = headers["x-request-id"],
                    RetryAfter = RetryAfterOf(headers["retry-after"]),
                    IsTemporary = shouldRetry == null ? Temporary.Contains(status) : shouldRetry == "true",
                });
        }

        /// <summary>The error that the last line of a streamed response reports, whose status was sent long before. It is final.</summary>
        internal static ItemwrightException OfLine(ResponseHeaders headers, JsonValue error)
        {
            var code = TextOf(error["code"]);
            return Of(
                TextOf(error["message"]) ?? "The service reported an error.",
                new ErrorDetails
                {
                    Status = code == "BAD_REQUEST" ? 400 : code == "SERVICE_UNAVAILABLE" ? 503 : 500,
                    Code = code,
                    Issues = IssuesOf(error),
                    RequestId = headers["x-request-id"],
                });
        }

        private static ItemwrightException Of(string reason, ErrorDetails details)
        {
            switch (details.Status)
            {
                case 400:
                    return new ValidationException(reason, details);
                case 401:
                    return new UnauthorizedException(reason, details);
                case 403:
                    return new ForbiddenException(reason, details);
                case 404:
                    return new NotFoundException(reason, details);
                case 409:
                    return new ConflictException(reason, details);
                case 412:
                    return new PreconditionFailedException(reason, details);
                case 413:
                    return new PayloadTooLargeException(reason, details);
                case 429:
                    return new TooManyRequestsException(reason, details);
                case 500:
                    return new ServerException(reason, details);
                case 502:
                case 503:
                case 504:
                    return new UnavailableException(reason, details);
                default:
                    return new ItemwrightException(reason, details);
            }
        }

        private static JsonValue BodyOf(string text)
        {
            try
            {
                return JsonValue.Parse(text);
            }
            catch (FormatException)
            {
                return null;
            }
        }

        private static string TextOf(JsonValue value) => value?.Kind == JsonKind.String ? value.AsString() : null;

        private static IReadOnlyList<Issue> IssuesOf(JsonValue body)
        {
            var issues = new List<Issue>();
            foreach (var issue in body?["issues"]?.Items ?? new JsonValue[0])
                if (TextOf(issue["path"]) != null && TextOf(issue["message"]) != null)
                    issues.Add(new Issue(issue["path"].AsString(), issue["message"].AsString()));
            return issues;
        }

        /// <summary>Seconds, or a date.</summary>
        private static TimeSpan? RetryAfterOf(string value)
        {
            if (value == null) return null;
            var text = value.Trim();
            if (text != "" && text.All(one => one >= '0' && one <= '9'))
                // More than anybody waits, and less than what has no TimeSpan.
                return TimeSpan.FromSeconds(Math.Min(double.Parse(text, CultureInfo.InvariantCulture), 1e9));
            const DateTimeStyles style = DateTimeStyles.AssumeUniversal | DateTimeStyles.AllowWhiteSpaces;
            if (!DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, style, out var at)) return null;
            var left = at - DateTimeOffset.UtcNow;
            return left < TimeSpan.Zero ? TimeSpan.Zero : left;
        }
    }
}
