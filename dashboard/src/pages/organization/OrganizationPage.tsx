import { useQuery } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import type { Organization } from '../../../../gen/api.ts';
import { organizationQuery } from '../../data/organization-queries.ts';
import { fieldErrors } from '../../data/problem-error.ts';
import { said } from '../../lib/said.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Card, Facts, Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Badge, Skeleton } from '../../ui/States.tsx';
import { Exactly } from '../../ui/When.tsx';
import { MaintenanceWindowCard } from '../configuration/MaintenanceWindowCard.tsx';
import { Administration } from './Administration.tsx';
import { AuditRetention } from './AuditRetention.tsx';
import { LeaveOrganization } from './LeaveOrganization.tsx';
import { UpdateProblem } from './UpdateProblem.tsx';
import { useUpdate, type Update } from './use-update.ts';

/** The organization itself: its name, its limits, leaving it; and what the administrator of the installation does with it. */
export function OrganizationPage() {
  const { id } = useOrganization();
  const { session } = useRouteContext({ from: '__root__' });
  const read = useQuery(organizationQuery(id));
  const administers = session.user?.administrator === true;
  // The local administrator acts here without being a member.
  const isMember = typeof session.user?.id === 'string';
  return (
    <Page title="Organization" narrow>
      {read.isPending && <Skeleton lines={6} />}
      <Failed read={read} />
      {read.data !== undefined && (
        <>
          <About {...read.data} administers={administers} />
          <MaintenanceWindowCard />
          <AuditRetention {...read.data} administers={administers} />
          {administers && <Administration {...read.data} />}
          {isMember && <LeaveOrganization />}
        </>
      )}
    </Page>
  );
}

interface AboutProps {
  readonly organization: Organization;
  readonly etag: string | undefined;
  readonly administers: boolean;
}

function About({ organization, etag, administers }: AboutProps) {
  const update = useUpdate(organization.id, etag, 'The name is changed');
  const { slug, namespace, status, suspensionReason, databasesMax, role, createdAt } = organization;
  return (
    <Card title="About it">
      <div className={form.form}>
        <Rename
          key={organization.name}
          organization={organization}
          administers={administers}
          update={update}
        />
        <UpdateProblem update={update} />
        <Facts
          rows={[
            ['Short name', <code key="slug">{slug}</code>],
            ['Kubernetes namespace', <code key="namespace">{namespace}</code>],
            [
              'Status',
              status === 'ACTIVE' ? (
                <Badge tone="good">active</Badge>
              ) : (
                <>
                  <Badge tone="warn">{status.toLowerCase()}</Badge> {said(suspensionReason ?? '')}
                </>
              ),
            ],
            ['Databases at most', databasesMax ?? 'as many as the installation allows'],
            ['Your role', role ?? 'none'],
            ['Made', <Exactly key="made" at={createdAt} />],
          ]}
        />
      </div>
    </Card>
  );
}

interface RenameProps {
  readonly organization: Organization;
  readonly administers: boolean;
  readonly update: Update;
}

function Rename({ organization, administers, update }: RenameProps) {
  const shown = useOrganization();
  const [name, setName] = useState(organization.name);
  const errors = fieldErrors(update.error);
  const refused = administers ? undefined : whyNot(shown, 'manageOwners');
  const isSame = name.trim() === organization.name;
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate({ name });
      }}
    >
      <Input
        label="Name"
        required
        maxLength={100}
        readOnly={refused !== undefined}
        value={name}
        hint="For people. The short name and the namespace stay."
        error={errors['name']}
        onChange={(event) => setName(event.target.value)}
      />
      <div className={form.buttons}>
        <Button
          type="submit"
          busy={update.isPending}
          disabledReason={refused ?? (isSame ? 'The name is the same.' : undefined)}
        >
          Change the name
        </Button>
      </div>
    </form>
  );
}
