using System;
using System.Collections.Generic;

namespace Itemwright
{
    /// <summary>What requests and responses consist of.</summary>
    public abstract class Model
    {
        /// <summary>
        /// Members that this version of the client does not know, since the service is newer; null if there are none. They
        /// are sent as well, so that nothing is lost when something that was read is sent back.
        /// </summary>
        public IDictionary<string, JsonValue> AdditionalMembers { get; set; }

        /// <summary>As it is sent.</summary>
        public JsonValue ToJson()
        {
            var members = new List<KeyValuePair<string, JsonValue>>();
            WriteMembers(members);
            if (AdditionalMembers != null) members.AddRange(AdditionalMembers);
            return JsonValue.Object(members);
        }

        /// <summary>As JSON, for logs.</summary>
        public override string ToString() => ToJson().ToString();

        internal abstract void WriteMembers(List<KeyValuePair<string, JsonValue>> members);

        /// <summary>Takes a member of a response over; false if it is not known.</summary>
        internal virtual bool ReadMember(string name, JsonValue value, JsonValue whole) => false;

        /// <summary>Fills a model. It is given, and not created here, since code that is compiled ahead of time may lack its constructor.</summary>
        internal static T Fill<T>(JsonValue json, T model)
            where T : Model
        {
            if (json == null || json.IsNull) return null;
            if (json.Kind != JsonKind.Object) throw new FormatException("A JSON " + json.Kind + " is where an object should be.");
            foreach (var member in json.Members)
            {
                if (model.ReadMember(member.Key, member.Value, json)) continue;
                if (model.AdditionalMembers == null) model.AdditionalMembers = new Dictionary<string, JsonValue>();
                model.AdditionalMembers[member.Key] = member.Value;
            }
            return model;
        }
    }

    /// <summary>The response to a deletion: nothing.</summary>
    public sealed class Empty : Model
    {
        internal static Empty Read(JsonValue json) => Fill(json, new Empty());

        internal override void WriteMembers(List<KeyValuePair<string, JsonValue>> members)
        {
        }
    }
}
