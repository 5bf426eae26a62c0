import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouteContext, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Organization } from '../../../../gen/api.ts';
import {
  organizationQuery,
  renewOrganizations,
  updateOrganization,
} from '../../data/organization-queries.ts';
import { fieldErrors } from '../../data/problem-error.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Card, Facts, Page } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge, Skeleton } from '../../ui/States.tsx';
import { Exactly } from '../../ui/When.tsx';
import { MaintenanceWindowCard } from '../configuration/MaintenanceWindowCard.tsx';
import { Administration } from './Administration.tsx';
import { AuditRetention } from './AuditRetention.tsx';
import { LeaveOrganization } from './LeaveOrganization.tsx';

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
      {read.isError && <Problem error={read.error} onRetry={() => void read.refetch()} />}
      {read.data !== undefined && (
        <>
          <About organization={read.data} administers={administers} />
          <MaintenanceWindowCard />
          <AuditRetention
            key={read.data.auditRetentionDays}
            organization={read.data}
            administers={administers}
          />
          {administers && <Administration organization={read.data} />}
          {isMember && <LeaveOrganization />}
        </>
      )}
    </Page>
  );
}

interface AboutProps {
  readonly organization: Organization;
  readonly administers: boolean;
}

function About({ organization, administers }: AboutProps) {
  const { slug, namespace, status, suspensionReason, databasesMax, role, createdAt } = organization;
  return (
    <Card title="About it">
      <div className={form.form}>
        <Rename key={organization.name} organization={organization} administers={administers} />
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
                  <Badge tone="warn">{status.toLowerCase()}</Badge> {suspensionReason}
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

function Rename({ organization, administers }: AboutProps) {
  const shown = useOrganization();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [name, setName] = useState(organization.name);
  const rename = useMutation({
    mutationFn: () => updateOrganization(organization.id, { name }),
    onSuccess: async () => {
      say('The name is changed');
      await renewOrganizations(queryClient);
      await router.invalidate();
    },
  });
  const errors = fieldErrors(rename.error);
  const refused = administers ? undefined : whyNot(shown, 'manageOwners');
  const isSame = name.trim() === organization.name;
  return (
    <form
      className={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate();
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
      {rename.isError && Object.keys(errors).length === 0 && <Problem error={rename.error} />}
      <div className={form.buttons}>
        <Button
          type="submit"
          busy={rename.isPending}
          disabledReason={refused ?? (isSame ? 'The name is the same.' : undefined)}
        >
          Change the name
        </Button>
      </div>
    </form>
  );
}
