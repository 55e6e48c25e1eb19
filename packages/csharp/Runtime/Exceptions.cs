using System;
using System.Collections.Generic;
using System.Linq;

namespace Itemwright
{
    /// <summary>A detail of an error; the path is a JSON pointer into the request, such as <c>/body/itemAttributes/0/min</c>.</summary>
    public sealed class Issue
    {
        internal Issue(string path, string message)
        {
            Path = path;
            Message = message;
        }

        public string Path { get; }

        public string Message { get; }

        public override string ToString() => (Path + " " + Message).Trim();
    }

    /// <summary>What is known about a failed call.</summary>
    internal sealed class ErrorDetails
    {
        internal int Status;
        internal string Code;
        internal IReadOnlyList<Issue> Issues;
        internal string RequestId;
        internal TimeSpan? RetryAfter;
        internal bool IsTemporary;
        internal Exception Cause;
    }

    /// <summary>Any failure of a call, except that it was cancelled: that is an <see cref="OperationCanceledException"/>.</summary>
    public class ItemwrightException : Exception
    {
        private static readonly Issue[] NoIssues = new Issue[0];

        private readonly string reason;

        internal ItemwrightException(string reason, ErrorDetails details)
            : base(reason, details.Cause)
        {
            this.reason = reason;
            Status = details.Status;
            Code = details.Code;
            Issues = details.Issues ?? NoIssues;
            RequestId = details.RequestId;
            RetryAfter = details.RetryAfter;
            IsTemporary = details.IsTemporary;
        }

        /// <summary>What was called, what was said, and what is wrong with the request.</summary>
        public override string Message
        {
            get
            {
                var called = Operation == null ? "" : Operation + " (" + Method + " " + Path + "): ";
                var answered = string.Join(" ", new[] { Status == 0 ? null : Status.ToString(), Code }.Where(one => one != null));
                var issues = string.Join("; ", Issues);
                return called + (answered == "" ? "" : answered + ": ") + reason + (issues == "" ? "" : ": " + issues);
            }
        }

        /// <summary>The name of the operation, such as <c>items.roll</c>.</summary>
        public string Operation { get; internal set; }

        /// <summary>The HTTP method of the request.</summary>
        public string Method { get; internal set; }

        /// <summary>The path of the request, such as <c>/items/roll</c>, without the prefix of the client's address.</summary>
        public string Path { get; internal set; }

        /// <summary>The HTTP status; 0 if there was no response.</summary>
        public int Status { get; }

        /// <summary>The code of the service, such as <c>CONFLICT</c>; null if the response was not from the service.</summary>
        public string Code { get; }

        public IReadOnlyList<Issue> Issues { get; }

        /// <summary>The id of the request in the log of the service.</summary>
        public string RequestId { get; }

        /// <summary>How long the service asked to wait.</summary>
        public TimeSpan? RetryAfter { get; }

        /// <summary>Whether the same call may succeed later.</summary>
        public bool IsTemporary { get; }

        /// <summary>
        /// Whether the call may have taken effect: an attempt got no response, or one that leaves it open. A 404 to a DELETE
        /// or a 412 may then be the result of an earlier attempt of the same call.
        /// </summary>
        public bool MaybeDone { get; internal set; }

        /// <summary>How often the request was sent.</summary>
        public int Attempts { get; internal set; } = 1;

        /// <summary>The key of the call: with the same key it can be made again later without taking effect twice.</summary>
        public string IdempotencyKey { get; internal set; }
    }

    /// <summary>400: the request is not valid; the issues say why.</summary>
    public sealed class ValidationException : ItemwrightException
    {
        internal ValidationException(string reason, ErrorDetails details) : base(reason, details) { }
    }

    /// <summary>401: the team or the secret is missing, unknown or revoked.</summary>
    public sealed class UnauthorizedException : ItemwrightException
    {
        internal UnauthorizedException(string reason, ErrorDetails details) : base(reason, details) { }
    }

    /// <summary>403: the role of the secret does not allow this.</summary>
    public sealed class ForbiddenException : ItemwrightException
    {
        internal ForbiddenException(string reason, ErrorDetails details) : base(reason, details) { }
    }

    /// <summary>404: there is no such thing.</summary>
    public sealed class NotFoundException : ItemwrightException
    {
        internal NotFoundException(string reason, ErrorDetails details) : base(reason, details) { }
    }

    /// <summary>409: the current state does not allow this; the issues say why.</summary>
    public sealed class ConflictException : ItemwrightException
    {
        internal ConflictException(string reason, ErrorDetails details) : base(reason, details) { }
    }

    /// <summary>412: what was to be changed is no longer as <see cref="ChangeOptions.IfMatch"/> says.</summary>
    public sealed class PreconditionFailedException : ItemwrightException
    {
        internal PreconditionFailedException(string reason, ErrorDetails details) : base(reason, details) { }
    }

    /// <summary>413: the body is too large.</summary>
    public sealed class PayloadTooLargeException : ItemwrightException
    {
        internal PayloadTooLargeException(string reason, ErrorDetails details) : base(reason, details) { }
    }

    /// <summary>429: too many requests at once.</summary>
    public sealed class TooManyRequestsException : ItemwrightException
    {
        internal TooManyRequestsException(string reason, ErrorDetails details) : base(reason, details) { }
    }

    /// <summary>500: a bug in the service; or with issues, a plain roll for which there is no item.</summary>
    public sealed class ServerException : ItemwrightException
    {
        internal ServerException(string reason, ErrorDetails details) : base(reason, details) { }
    }

    /// <summary>502, 503 or 504: the service is overloaded, stopping, or cannot be reached by the proxy in front of it.</summary>
    public sealed class UnavailableException : ItemwrightException
    {
        internal UnavailableException(string reason, ErrorDetails details) : base(reason, details) { }
    }

    /// <summary>There was no response, or only a part of one.</summary>
    public class ConnectionException : ItemwrightException
    {
        internal ConnectionException(string reason, Exception cause)
            : base(reason, new ErrorDetails { IsTemporary = true, Cause = cause })
        {
        }
    }

    /// <summary>There was no response in time.</summary>
    public sealed class ConnectionTimeoutException : ConnectionException
    {
        internal ConnectionTimeoutException() : base("There was no response in time.", null) { }
    }
}
