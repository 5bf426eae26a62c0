/** Changes an organization, unless somebody changed it since the page read it. The page then shows what there is instead. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { UpdateOrganizationRequest } from '../../../../gen/api.ts';
import {
  organizationQuery,
  renewOrganizations,
  updateOrganization,
} from '../../data/organization-queries.ts';
import { say } from '../../ui/announcer.ts';

/** `done`: what is announced. */
export function useUpdate(organizationId: string, etag: string | undefined, done: string) {
  const queryClient = useQueryClient();
  const router = useRouter();
  return useMutation({
    mutationFn: (body: UpdateOrganizationRequest) => updateOrganization(organizationId, body, etag),
    onSuccess: async ({ data, etag: present }) => {
      say(done);
      // The next change may come before the page has read it again.
      const { queryKey } = organizationQuery(organizationId);
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(
        queryKey,
        (before) =>
          before && {
            organization: { ...data.organization, role: before.organization.role },
            etag: present,
          },
      );
      await renewOrganizations(queryClient);
      await router.invalidate();
    },
    onError: () => queryClient.invalidateQueries(organizationQuery(organizationId)),
  });
}

export type Update = ReturnType<typeof useUpdate>;
