import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { orElse } from '../lib/or-else.ts';
import styles from './Problem.module.css';

/**
 * A part of a page that comes after it. Where it cannot be loaded, a notice stands in its place, and what somebody has typed on the
 * page stays. `what`: name of the part, at the beginning of a sentence; `isWanted`: whether somebody asked for it, else nothing is said.
 */
export const latePart = <P extends object>(
  what: string,
  load: () => Promise<ComponentType<P>>,
  isWanted: (props: P) => boolean = () => true,
): LazyExoticComponent<ComponentType<P>> =>
  lazy(async () => ({
    default: await orElse<ComponentType<P>>(
      load,
      (props) =>
        isWanted(props) && (
          <p role="alert" className={styles.problem}>
            {what} could not be loaded. Reload the page when the connection is back.
          </p>
        ),
    ),
  }));
