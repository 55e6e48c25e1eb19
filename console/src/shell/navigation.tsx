import { Link, useLocation } from 'wouter';
import { NAVIGATION } from './pages.tsx';
import classes from './shell.module.css';

const isWithin = (location: string, path: string): boolean =>
  path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`);

export const Navigation = ({ onNavigate }: { onNavigate: () => void }) => {
  const [location] = useLocation();
  return NAVIGATION.map(({ heading, places }) => (
    <div key={heading ?? ''}>
      {heading !== undefined && <p className={classes.heading}>{heading}</p>}
      <ul className={classes.links}>
        {places.map(({ path, label, icon: Icon }) => (
          <li key={path}>
            <Link
              href={path}
              className={classes.link}
              aria-current={isWithin(location, path) ? 'page' : undefined}
              onClick={onNavigate}
            >
              <Icon size={18} stroke={1.7} aria-hidden />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  ));
};
