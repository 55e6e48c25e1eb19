using System;

// The signatures of what the sample uses of Unity, so that it can be compiled where there is no Unity. It never runs.
namespace UnityEngine
{
    public class Object
    {
    }

    public class MonoBehaviour : Object
    {
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute
    {
    }

    public class GUILayoutOption
    {
    }

    public static class GUILayout
    {
        public static void Label(string text, params GUILayoutOption[] options) => throw new NotSupportedException();
    }

    public static class Debug
    {
        public static void LogException(Exception exception, Object context) => throw new NotSupportedException();
    }
}
