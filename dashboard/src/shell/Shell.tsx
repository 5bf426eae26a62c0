import { CSPProvider } from '@base-ui/react/csp-provider';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouteContext } from '@tanstack/react-router';
import { Menu, Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState, type ComponentType } from 'react';
import type { Session } from '../../../gen/api.ts';
import { sessionQuery } from '../data/queries.ts';
import { serverNow } from '../lib/clock.ts';
import { orElse } from '../lib/or-else.ts';
import { storedZone, keepZone } from '../lib/theme.ts';
import type { Zone } from '../lib/time.ts';
import { Announcer } from '../ui/Announcer.tsx';
import { IconButton } from '../ui/Button.tsx';
import { Skeleton } from '../ui/States.tsx';
import { Bell } from './Bell.tsx';
import { NowContext, OrganizationContext, ZoneContext, type ShownOrganization } from './context.ts';
import { Notices } from './Notices.tsx';
import { SignInNotice } from './SignInNotice.tsx';
import { Overlays, useOverlays } from './Overlays.tsx';
import { SideBar } from './SideBar.tsx';
import styles from './Shell.module.css';

/** Nobody waits for it: it comes when the page is drawn. */
const SignInAgain = lazy(async () => ({
  default: await orElse<ComponentType>(
    async () => (await import('./SignInAgain.tsx')).SignInAgain,
    SignInNotice,
  ),
}));

interface FrameProps {
  readonly session: Session;
  readonly organization: ShownOrganization | undefined;
}

/** The frame around every page: sides, palette, notices. */
function Frame({ session, organization }: FrameProps) {
  const [zone, setZone] = useState<Zone>(storedZone);
  const [sideOpen, setSideOpen] = useState(false);
  const overlays = useOverlays();
  const main = useRef<HTMLElement>(null);
  const now = useClock();
  const chooseZone = (next: Zone) => {
    keepZone(next);
    setZone(next);
  };
  return (
    <CSPProvider disableStyleElements>
      <OrganizationContext value={organization}>
        <NowContext value={now}>
          <ZoneContext value={zone}>
            <a
              className={styles.skip}
              href="#main"
              onClick={(event) => {
                event.preventDefault();
                main.current?.focus();
              }}
            >
              Skip to the page
            </a>
            <div className={styles.shell}>
              <header className={styles.top}>
                <IconButton
                  label="Menu"
                  aria-expanded={sideOpen}
                  aria-controls="side"
                  onClick={() => setSideOpen(!sideOpen)}
                >
                  <Menu size={20} aria-hidden />
                </IconButton>
                <span className={styles.brand}>Ledgerhouse</span>
                <div className={styles.tools}>
                  {organization !== undefined && (
                    <Bell organization={organization} onGone={() => setSideOpen(false)} />
                  )}
                  <IconButton label="Search and go to" onClick={() => overlays.open('palette')}>
                    <Search size={18} aria-hidden />
                  </IconButton>
                </div>
              </header>
              <SideBar
                session={session}
                organization={organization}
                open={sideOpen}
                zone={zone}
                onZone={chooseZone}
                onOpen={overlays.open}
                onGone={() => setSideOpen(false)}
              />
              <main id="main" ref={main} tabIndex={-1} className={styles.main}>
                <Suspense>
                  <SignInAgain />
                </Suspense>
                <Overlays overlays={overlays} session={session} organization={organization} />
                <Notices session={session} />
                {/* The frame is there while a slow service is asked for what the page begins with. */}
                <Suspense fallback={<Skeleton lines={8} />}>
                  <Outlet />
                </Suspense>
              </main>
            </div>
            <Announcer />
          </ZoneContext>
        </NowContext>
      </OrganizationContext>
    </CSPProvider>
  );
}

const clockMs = 30_000;

function useClock(): Date {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), clockMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function Shell() {
  const { session: entered, organization } = useRouteContext({ from: '/o/$slug' });
  // Rights may change while the page is open: the session is read again now and then, and after a refusal.
  const { data: session = entered } = useQuery(sessionQuery());
  const current = session.organizations.find(({ id }) => id === organization.id);
  return <Frame key={organization.id} session={session} organization={current ?? organization} />;
}

/** For pages of the person, not of an organization. */
export function PlainShell() {
  const { session } = useRouteContext({ from: '__root__' });
  const current = session.organizations.find(({ id }) => id === session.organization?.id);
  return <Frame session={session} organization={current ?? session.organizations[0]} />;
}
