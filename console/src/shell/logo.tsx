export const Logo = ({ size = 28 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#0f766e" />
    <g fill="none" stroke="#fff" strokeWidth="2" strokeLinejoin="round">
      <path d="M16 5.5 25.5 11v10L16 26.5 6.5 21V11Z" />
      <path d="M6.5 11 16 16.4 25.5 11M16 16.4v10" />
    </g>
    <circle cx="16" cy="16.4" r="3" fill="#fbbf24" />
  </svg>
);
