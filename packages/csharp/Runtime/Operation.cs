namespace Itemwright
{
    /// <summary>What differs between operations: the HTTP method, and whether sending a request again is safe.</summary>
    internal enum Verb
    {
        Get,
        Put,
        Delete,

        /// <summary>Has an effect, and a key with which it can be repeated.</summary>
        Post,

        /// <summary>The same for a change that depends on what is there.</summary>
        Patch,

        /// <summary>A POST that changes nothing and therefore needs no key.</summary>
        Ask,

        /// <summary>A POST that takes no key and must not be repeated.</summary>
        Once,
    }

    /// <summary>An operation of the API.</summary>
    internal sealed class Operation
    {
        internal readonly string Name;
        internal readonly Verb Verb;
        internal readonly string Path;

        /// <summary>Whether it may take as long as a computation or a publication does.</summary>
        internal readonly bool IsLong;

        internal Operation(string name, Verb verb, string path, bool isLong = false)
        {
            Name = name;
            Verb = verb;
            Path = path;
            IsLong = isLong;
        }

        internal bool TakesKey => Verb == Verb.Post || Verb == Verb.Patch;

        internal string Method => Verb == Verb.Ask || Verb == Verb.Once ? "POST" : Verb.ToString().ToUpperInvariant();
    }
}
