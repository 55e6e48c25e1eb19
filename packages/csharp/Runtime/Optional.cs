namespace Itemwright
{
    /// <summary>
    /// A member that can be left out, so that it stays as it is, or be null, so that it is removed:
    /// <c>new ItemChange { Thumbnail = null }</c> removes the thumbnail, <c>new ItemChange()</c> keeps it.
    /// </summary>
    public readonly struct Optional<T>
    {
        public Optional(T value)
        {
            Value = value;
            IsGiven = true;
        }

        /// <summary>Whether it is sent, be it as null.</summary>
        public bool IsGiven { get; }

        public T Value { get; }

        public static implicit operator Optional<T>(T value) => new Optional<T>(value);

        public override string ToString() => IsGiven ? Value?.ToString() ?? "null" : "";
    }
}
