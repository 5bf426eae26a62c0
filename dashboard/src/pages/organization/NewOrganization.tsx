import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouteContext, useRouter } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { ask, mine } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { besideFields, fieldErrors, isProblem } from '../../data/problem-error.ts';
import { sessionQuery } from '../../data/queries.ts';
import { Button } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Card, Page } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { slugOf } from './slug.ts';

export function NewOrganization() {
  const { session } = useRouteContext({ from: '__root__' });
  const [name, setName] = useState('');
  const [typedSlug, setTypedSlug] = useState<string>();
  const intent = useIntent();
  const queryClient = useQueryClient();
  const router = useRouter();
  const navigate = useNavigate();
  const slug = typedSlug ?? slugOf(name);
  const create = useMutation({
    mutationFn: () => {
      const body = { name, slug };
      return intent.try(body, (sending) =>
        ask(mine, 'post', '/api/v1/organizations', { body }, sending),
      );
    },
    onSuccess: async () => {
      await queryClient.fetchQuery({ ...sessionQuery(), staleTime: 0 });
      await router.invalidate();
      await navigate({ to: '/o/$slug/databases', params: { slug } });
    },
  });
  const errors: Readonly<Record<string, string>> = {
    ...fieldErrors(create.error),
    ...(isProblem(create.error, 'organization_slug_taken') && {
      slug: create.error.problem.detail,
    }),
  };
  const other = besideFields(create.error, ['name', 'slug'], errors);
  const refused =
    session.user?.administrator === true
      ? undefined
      : 'Only the administrator of this installation makes organizations.';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Page
      title="New organization"
      about="An organization owns databases, keys and members. You become its owner."
      narrow
    >
      <Card>
        <form className={form.form} onSubmit={submit}>
          <Input
            label="Name"
            required
            maxLength={100}
            value={name}
            error={errors['name']}
            onChange={(event) => setName(event.target.value)}
          />
          <Input
            label="Short name"
            mono
            required
            pattern="[a-z][a-z0-9\-]{1,38}[a-z0-9]"
            title="3 to 40 characters: a letter first, then letters, digits and hyphens; all lower case"
            value={slug}
            hint={`In addresses, and in the Kubernetes namespace org-${slug || '…'}. It cannot be changed.`}
            error={errors['slug']}
            onChange={(event) => setTypedSlug(event.target.value)}
          />
          {other !== null && <Problem error={other} />}
          <div className={form.buttons}>
            <Button type="submit" look="main" busy={create.isPending} disabledReason={refused}>
              Create organization
            </Button>
          </div>
        </form>
      </Card>
    </Page>
  );
}
