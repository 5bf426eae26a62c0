// Generated from api/contract/ by `make gen`. Not to be edited.
export interface paths {
    readonly "/api/v1/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Health of the service
         * @description Whether the parts work that requests depend on. The answer is 200 also when some do not, since the API itself answers.
         */
        readonly get: operations["getHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** This description */
        readonly get: operations["getOpenapiDocument"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/catalog/create": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What a database can be made of
         * @description Each choice with its ID, which the create request takes, what goes with what and why not, and prices.
         */
        readonly get: operations["getCreateCatalog"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List databases
         * @description A key for one database sees that one only.
         */
        readonly get: operations["listDatabases"];
        readonly put?: never;
        /**
         * Create a database
         * @description Answers as soon as it is queued; the job tells how it goes. A choice that is left out becomes the catalog’s default. With `dryRun=true` everything is checked, the name included, and nothing is made; `billing` says whether a request that is no dry run would answer 402.
         */
        readonly post: operations["createDatabase"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{databaseId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read a database */
        readonly get: operations["getDatabase"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a database
         * @description It ceases to answer at once and its name is free. Its data stay until `purgeAt`, and until then it can be restored. Asked for again while it goes on, the answer is the same; once it is deleted, it is 404.
         */
        readonly delete: operations["deleteDatabase"];
        readonly options?: never;
        readonly head?: never;
        /** Change protection and labels */
        readonly patch: operations["updateDatabase"];
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{databaseId}/restore": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Restore a deleted database */
        readonly post: operations["restoreDatabase"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{databaseId}/jobs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List a database’s jobs
         * @description The newest first.
         */
        readonly get: operations["listDatabaseJobs"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{jobId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a job, or wait for it
         * @description With `waitSeconds` the answer comes when the job changes from what If-None-Match names, or ends, or the time is over.
         */
        readonly get: operations["getJob"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{jobId}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Follow a job
         * @description Server-sent events: `job` with the job as data at each change, at once with what it is, and last when it has ended; then the stream ends. `Last-Event-ID` leaves out what was seen; where that is all there will be, 204 tells browsers to cease asking.
         */
        readonly get: operations["streamJobEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{jobId}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a job
         * @description Of a person, jobs that delete or restore a database take the role owner or admin.
         */
        readonly post: operations["cancelJob"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{jobId}/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Retry a job that failed
         * @description Of a person, jobs that delete or restore a database take the role owner or admin.
         */
        readonly post: operations["retryJob"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{jobId}/complete": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Continue a job that waits for a person
         * @description For the administrator of the installation: a database of a provider with `provisioning: MANUAL` may be made now.
         */
        readonly post: operations["completeJob"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{jobId}/refuse": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Refuse a job that waits for a person
         * @description For the administrator of the installation: the database is not made, and the job fails with the reason.
         */
        readonly post: operations["refuseJob"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{databaseId}/tb/create_accounts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Create accounts */
        readonly post: operations["createAccounts"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{databaseId}/tb/create_transfers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Create transfers */
        readonly post: operations["createTransfers"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{databaseId}/tb/lookup_accounts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Look accounts up by ID */
        readonly post: operations["lookupAccounts"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{databaseId}/tb/lookup_transfers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Look transfers up by ID */
        readonly post: operations["lookupTransfers"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{databaseId}/tb/get_account_transfers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** List the transfers of one account */
        readonly post: operations["getAccountTransfers"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{databaseId}/tb/get_account_balances": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** List the balances of one account over time */
        readonly post: operations["getAccountBalances"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{databaseId}/tb/query_accounts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Query accounts */
        readonly post: operations["queryAccounts"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{databaseId}/tb/query_transfers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Query transfers */
        readonly post: operations["queryTransfers"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Who the credential belongs to, and what it may do */
        readonly get: operations["getSession"];
        readonly put?: never;
        readonly post?: never;
        /** End the session */
        readonly delete: operations["closeSession"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/session/administrator": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Open the local administrator’s session
         * @description With the bootstrap token of the installation. The cookie `__Host-session` is the credential; what changes something also needs the header X-CSRF-Token.
         */
        readonly post: operations["openAdministratorSession"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List your sessions: where you are signed in
         * @description The newest first.
         */
        readonly get: operations["listSessions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sessions/{sessionId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * End one of your sessions
         * @description At once, with all its tokens.
         */
        readonly delete: operations["endSession"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organizations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the organizations that the credential belongs to */
        readonly get: operations["listOrganizations"];
        readonly put?: never;
        /**
         * Create an organization
         * @description For the administrator of the installation. It needs no organization, so that one can be made when all others are deleted or suspended.
         */
        readonly post: operations["createOrganization"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organizations/{organizationId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read an organization */
        readonly get: operations["getOrganization"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete an organization
         * @description For the administrator of the installation. It must have no databases; deleted ones that can be restored do not count. Its keys and members lose access within seconds. For seven days it can be restored; then its keys, members, invitations and webhook endpoints are purged. Its audit log stays, and its slug is not given to another one.
         */
        readonly delete: operations["deleteOrganization"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Rename an organization, or set its quota
         * @description The administrator of the installation may do both; an owner may rename the own organization, unless it is suspended. The slug and the namespace stay.
         */
        readonly patch: operations["updateOrganization"];
        readonly trace?: never;
    };
    readonly "/api/v1/organizations/{organizationId}/suspend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Suspend an organization
         * @description For the administrator of the installation. Its keys and members can go on reading, delete databases and revoke access; all else is 403 `organization_suspended`, within seconds on all processes. Its databases run on, and clients in the cluster are not cut off.
         */
        readonly post: operations["suspendOrganization"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organizations/{organizationId}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * End the suspension of an organization
         * @description For the administrator of the installation.
         */
        readonly post: operations["resumeOrganization"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organizations/{organizationId}/restore": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Restore a deleted organization
         * @description For the administrator of the installation.
         */
        readonly post: operations["restoreOrganization"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/members": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List members */
        readonly get: operations["listMembers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/members/{membershipId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read a member */
        readonly get: operations["getMember"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a member
         * @description The answer lists the working keys and the open invitations that they made. These stay, because they belong to the organization, unless `revoke` names them. Owners are made, changed and removed by owners only.
         */
        readonly delete: operations["removeMember"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a member’s role or databases
         * @description Takes effect with their next request. Owners are made, changed and removed by owners only.
         */
        readonly patch: operations["updateMember"];
        readonly trace?: never;
    };
    readonly "/api/v1/members/leave": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Leave the organization */
        readonly post: operations["leaveOrganization"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/invitations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List invitations
         * @description The newest first, whatever became of them.
         */
        readonly get: operations["listInvitations"];
        readonly put?: never;
        /**
         * Invite somebody
         * @description They get a mail, where the service sends any. Owners are made, changed and removed by owners only.
         */
        readonly post: operations["createInvitation"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/invitations/{invitationId}/resend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send an invitation again
         * @description With another token, good for seven days; the one before is worth nothing then.
         */
        readonly post: operations["resendInvitation"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/invitations/{invitationId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Take an invitation back */
        readonly delete: operations["revokeInvitation"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/invitations/accept": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Accept an invitation
         * @description As whom it is for: the identity provider must have verified that address. A token that is unknown, used, too old or for another address is answered in one way.
         */
        readonly post: operations["acceptInvitation"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/api-keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List API keys */
        readonly get: operations["listApiKeys"];
        readonly put?: never;
        /** Create an API key */
        readonly post: operations["createApiKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/api-keys/{keyId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read an API key */
        readonly get: operations["getApiKey"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Revoke an API key
         * @description It ceases to work within five seconds.
         */
        readonly delete: operations["revokeApiKey"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/api-keys/{keyId}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replace an API key by another
         * @description The answer is the new key: same name, permissions and scope, another ID and secret. The old one goes on working for the grace period.
         */
        readonly post: operations["rotateApiKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/api-keys/{keyId}/renew": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give an API key another expiry
         * @description The secret stays; rotate the key for a new one. A key that has expired is not renewed. A week and a day before the expiry, `api_key.expiring` is told, and a mail goes to the maker.
         */
        readonly post: operations["renewApiKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/audit-events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List what was done in the organization
         * @description The newest first.
         */
        readonly get: operations["listAuditEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/audit-events/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Export audit events as NDJSON or CSV
         * @description The oldest first, a thousand at most in an answer; `Next-Cursor` says how to go on. In CSV, text that a spreadsheet would take for a formula has an apostrophe before it.
         */
        readonly get: operations["exportAuditEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/audit-events/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Check the chain of audit events
         * @description Checks that no event was changed, added or taken out: 5,000 events at most in an answer, and `next` says how to go on. Whoever can write to the store and has no signing key can make no chain that passes.
         */
        readonly get: operations["verifyAuditEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhook-endpoints": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List webhook endpoints */
        readonly get: operations["listWebhookEndpoints"];
        readonly put?: never;
        /** Create a webhook endpoint */
        readonly post: operations["createWebhookEndpoint"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhook-endpoints/{endpointId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read a webhook endpoint */
        readonly get: operations["getWebhookEndpoint"];
        readonly put?: never;
        readonly post?: never;
        /** Delete a webhook endpoint */
        readonly delete: operations["deleteWebhookEndpoint"];
        readonly options?: never;
        readonly head?: never;
        /** Change a webhook endpoint */
        readonly patch: operations["updateWebhookEndpoint"];
        readonly trace?: never;
    };
    readonly "/api/v1/billing": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How the organization stands */
        readonly get: operations["getBilling"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Set or take away the spend limit
         * @description At 50, 80 and 100 percent of it, `billing.spend_threshold_reached` is told once a month.
         */
        readonly patch: operations["updateBilling"];
        readonly trace?: never;
    };
    readonly "/api/v1/billing/checkout": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Open a checkout, in which a person sets up or changes the payment method */
        readonly post: operations["openCheckout"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/stripe-events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * For Stripe, to tell what has happened
         * @description Signed by Stripe; the same event is acted on once, whenever it comes.
         */
        readonly post: operations["receiveStripeEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Problem: {
            /** @description Address of the page about this problem. */
            readonly type: string;
            readonly title: string;
            readonly status: number;
            /** @description What is wrong this time, and what to do. */
            readonly detail: string;
            /** @description The path that was asked for. */
            readonly instance: string;
            /** @description Stable. At present one of malformed_json, payload_too_large, validation_failed, invalid_integer, invalid_filter, batch_too_large, gateway_bad_reply, ledger_unavailable, ledger_full, ledger_timeout, invalid_parameter, invalid_cursor, conflicting_credentials, authentication_required, invalid_credentials, credential_expired, sign_in_failed, billing_required, billing_not_used, insufficient_scope, session_required, organization_required, csrf_failed, provisioning_not_permitted, organization_suspended, quota_exceeded, not_found, database_not_found, job_not_found, member_not_found, invitation_not_found, organization_not_found, session_not_found, api_key_not_found, webhook_endpoint_not_found, unknown_operation, method_not_allowed, not_acceptable, database_name_taken, database_not_ready, database_not_deleted, deletion_protected, operation_in_progress, idempotency_in_progress, idempotency_answer_lost, not_cancellable, not_waiting, not_retryable, catalog_changed, organization_not_empty, organization_not_deleted, organization_slug_taken, already_member, invitation_exists, last_owner, api_key_not_active, database_purged, precondition_failed, unsupported_media_type, catalog_choice_unavailable, storage_unavailable_for_topology, idempotency_key_reused, rate_limited, internal_error, provisioning_not_supported, identity_provider_unavailable, service_unavailable; more may come. */
            readonly code: string;
            readonly requestId: string;
            /** @description The same request may succeed later. */
            readonly retryable: boolean;
            readonly errors?: readonly components["schemas"]["ProblemError"][];
            /**
             * @description Of a ledger operation: whether the ledger may have changed.
             * @enum {string}
             */
            readonly outcome?: "not_executed" | "unknown";
            readonly allowedOperations?: readonly string[];
            readonly requiredPermissions?: readonly string[];
            readonly requiredDatabaseScope?: string;
            readonly requiredRoles?: readonly string[];
            readonly databaseStatus?: string;
            readonly existingDatabaseId?: string;
            readonly blockingJobId?: string;
            readonly limitBytes?: number;
            readonly offset?: number;
            readonly maxEventsPerBatch?: number;
            readonly purgedAt?: string;
            readonly supportedClusterConfigurations?: readonly string[];
            readonly "violated-policies"?: readonly string[];
            /** @constant */
            readonly success?: false;
            readonly billing?: components["schemas"]["Billing"];
            readonly provisioning?: components["schemas"]["Provisioning"];
        } & {
            readonly [key: string]: unknown;
        };
        readonly ProblemError: {
            /** @description JSON Pointer into the body, as a URI fragment. */
            readonly pointer?: string;
            /** @description Name of a parameter of path or query. */
            readonly parameter?: string;
            /** @description Name of a header. */
            readonly header?: string;
            readonly code: string;
            readonly detail: string;
            readonly meta?: {
                readonly [key: string]: unknown;
            };
        };
        readonly Billing: {
            /** @description Where a person sets billing up. Null where no checkout helps: with `SPEND_LIMIT_REACHED` the limit has to be raised. */
            readonly checkoutUrl: string | null;
            readonly expiresAt: string | null;
            /** @enum {string} */
            readonly reason: "NO_PAYMENT_METHOD" | "PAYMENT_FAILED" | "SPEND_LIMIT_REACHED" | "ACCOUNT_REVIEW";
            readonly sessionId: string | null;
            /** @description What was asked for is kept under this ID and done once billing is set up. */
            readonly draftId?: string | null;
        };
        readonly Provisioning: {
            /** @enum {string} */
            readonly status: "QUEUED" | "NOT_STARTED" | "BLOCKED_BY_BILLING";
            readonly started: boolean;
            readonly message: string;
            readonly estimatedSeconds: number | null;
        };
        readonly ServiceHealth: {
            /**
             * @description DEGRADED: some part is not OK. Requests are answered as far as they do not need it.
             * @enum {string}
             */
            readonly status: "OK" | "DEGRADED";
            readonly components: readonly {
                /**
                 * @description `store`: PostgreSQL. `cluster`: the Kubernetes API. `operator`: looks after databases. `worker`: does jobs, follows the cluster, sends mail, charges use.
                 * @enum {string}
                 */
                readonly name: "store" | "cluster" | "operator" | "worker";
                /**
                 * @description UNKNOWN: it cannot be seen, because the store or the cluster is not OK.
                 * @enum {string}
                 */
                readonly status: "OK" | "DOWN" | "UNKNOWN";
                /** @description What it means while the part is not OK; null: nothing to say. */
                readonly message: string | null;
                readonly lastSeenAt: string | null;
            }[];
        };
        readonly CreateCatalog: {
            /** @description Changes whenever the catalog does. */
            readonly version: string;
            /** @description ISO 4217; null without prices. */
            readonly currency: string | null;
            /**
             * @description Of every …Gb.
             * @constant
             */
            readonly storageUnit: "GiB";
            /** @description What a choice that is left out becomes. */
            readonly defaults: {
                readonly provider: string;
                readonly region: string;
                /** @enum {string} */
                readonly clusterConfiguration: "single" | "ha-3" | "ha-6";
                readonly clusterSize: string;
                readonly storageTier: string;
                readonly selectedStorageGb: number;
                /** @enum {string} */
                readonly engine: "Builtin" | "TigerBeetle";
            };
            readonly providers: readonly {
                readonly id: string;
                readonly name: string;
                readonly available: boolean;
                /**
                 * @description MANUAL: people make its databases; a create request is queued for them.
                 * @enum {string}
                 */
                readonly provisioning: "AUTOMATIC" | "MANUAL";
            }[];
            readonly regions: readonly {
                readonly id: string;
                readonly providerId: string;
                readonly name: string;
                readonly available: boolean;
            }[];
            readonly clusterConfigurations: readonly {
                /** @enum {string} */
                readonly id: "single" | "ha-3" | "ha-6";
                readonly name: string;
                readonly replicas: 1 | 3 | 6;
                readonly highAvailability: boolean;
                readonly toleratedFailures: number;
                readonly recommendedForProduction: boolean;
                /** @description Those that run it. */
                readonly engines: readonly ("Builtin" | "TigerBeetle")[];
            }[];
            readonly clusterSizes: readonly {
                readonly id: string;
                /** @description The number in the ID. */
                readonly number: number;
                /** @description Thousandths of a core that each replica is given at least. */
                readonly cpuMillis: number;
                /** @description Of each replica. */
                readonly memoryBytes: number;
                /** @description On top, beside each of several replicas of the built-in engine: the member of etcd that keeps their log. */
                readonly logMember: {
                    readonly cpuMillis: number;
                    readonly memoryBytes: number;
                };
                /** @description How many transfers the built-in engine holds in this memory. */
                readonly transfersMax: number | null;
                /** @description Those that it is large enough for. */
                readonly engines: readonly ("Builtin" | "TigerBeetle")[];
                readonly available: boolean;
            }[];
            readonly storageTiers: readonly {
                readonly id: string;
                readonly name: string;
                readonly minGb: number;
                readonly maxGb: number;
                readonly stepGb: number;
                readonly growable: boolean;
            }[];
            /** @description Every pair of storage tier and cluster configuration. */
            readonly storageCapabilities: readonly {
                readonly id: string;
                readonly storageTierId: string;
                /** @enum {string} */
                readonly clusterConfigurationId: "single" | "ha-3" | "ha-6";
                readonly supported: boolean;
                readonly reason: string | null;
            }[];
            readonly engines: readonly {
                /** @enum {string} */
                readonly name: "Builtin" | "TigerBeetle";
                readonly defaultVersion: string;
                readonly versions: readonly {
                    readonly version: string;
                    /** @description Of the client protocol. */
                    readonly release: string;
                    readonly oldestClient: string | null;
                    readonly deprecated: boolean;
                }[];
                readonly parameters: readonly {
                    readonly name: string;
                    /** @enum {string} */
                    readonly type: "integer" | "size" | "boolean";
                    readonly minimum: number | null;
                    readonly maximum: number | null;
                    readonly default: string | null;
                    readonly description: string;
                }[];
            }[];
            /** @description Decimals in `currency`, for one replica a month. Empty without prices. */
            readonly prices: {
                readonly sizes: readonly {
                    readonly clusterSizeId: string;
                    readonly perReplicaMonthly: string;
                    /** @description On top, beside each of several replicas of the built-in engine. */
                    readonly perLogMemberMonthly: string;
                }[];
                readonly storage: readonly {
                    readonly storageTierId: string;
                    readonly perGbReplicaMonthly: string;
                }[];
            };
            readonly import: {
                readonly supported: boolean;
            };
        };
        /** @description What would be made; nothing was. */
        readonly DatabasePlan: {
            /** @constant */
            readonly success: true;
            /** @constant */
            readonly dryRun: true;
            readonly plan: {
                readonly name: string;
                readonly provider: string;
                readonly region: string;
                /** @enum {string} */
                readonly clusterConfiguration: "single" | "ha-3" | "ha-6";
                readonly clusterSize: string;
                readonly storageTier: string;
                /** @description GiB of each replica. */
                readonly selectedStorageGb: number;
                /** @enum {string} */
                readonly engine: "Builtin" | "TigerBeetle";
                readonly engineVersion: string;
                readonly parameters: {
                    readonly [key: string]: string;
                };
                readonly nodeCount: number;
                readonly deletionProtection: boolean;
                readonly estimatedMonthlyPrice: components["schemas"]["EstimatedPrice"] | null;
                readonly catalogVersion: string;
            };
            /** @description Not ready: a request that is no dry run would answer 402. */
            readonly billing: {
                readonly ready: boolean;
                /** @description Why it is not ready. */
                readonly reason: ("NO_PAYMENT_METHOD" | "PAYMENT_FAILED" | "SPEND_LIMIT_REACHED" | "ACCOUNT_REVIEW") | null;
            };
        };
        readonly EstimatedPrice: {
            /** @description ISO 4217. */
            readonly currency: string;
            readonly amount: string;
            readonly lines: readonly {
                readonly item: string;
                readonly amount: string;
            }[];
        };
        readonly CreatedDatabase: {
            /** @constant */
            readonly success: true;
            readonly database: components["schemas"]["Database"];
            readonly profile: components["schemas"]["Profile"];
            readonly job: components["schemas"]["Job"];
            readonly provisioning: components["schemas"]["Provisioning"];
        };
        readonly Database: {
            /** @description Database ID. */
            readonly id: string;
            /** @description Its organization. */
            readonly organizationId: string;
            readonly name: string;
            /** @description Decimal, 128 bits: what official clients connect with. Null until it is known. */
            readonly clusterId: string | null;
            /** @constant */
            readonly mode: "new";
            /**
             * @description Its life. READY stays READY through changes and trouble.
             * @enum {string}
             */
            readonly status: "PROVISIONING" | "READY" | "SUSPENDED" | "FAILED" | "DELETING" | "DELETED";
            readonly statusReason: components["schemas"]["Reason"] | null;
            /**
             * @description How it is at the moment; UNKNOWN when nobody has looked lately.
             * @enum {string}
             */
            readonly health: "HEALTHY" | "DEGRADED" | "UNAVAILABLE" | "UNKNOWN";
            readonly provider: string;
            readonly region: string;
            /** @enum {string} */
            readonly clusterConfiguration: "single" | "ha-3" | "ha-6";
            readonly clusterSize: string;
            readonly storageTier: string;
            /** @description GiB of each replica. */
            readonly selectedStorageGb: number;
            readonly nodeCount: number;
            readonly nodes: readonly {
                readonly index: number;
                readonly ready: boolean;
                /** @description In the words of the resource’s members. */
                readonly status: string;
            }[];
            readonly engine: {
                /** @enum {string} */
                readonly name: "Builtin" | "TigerBeetle";
                readonly version: string;
                readonly latestVersion: string | null;
                readonly updateAvailable: boolean;
            };
            /** @description The connection of the process that answers. */
            readonly gateway: {
                /** @enum {string} */
                readonly status: "CONNECTED" | "CONNECTING" | "DISCONNECTED" | "UNKNOWN";
                readonly checkedAt: string | null;
                readonly latencyMs: number | null;
                readonly lastError: string | null;
            };
            readonly connection: {
                /** @description The name. */
                readonly identifier: string;
                /** @description The ledger route; an operation follows. */
                readonly httpUrl: string;
                /** @description Of the replicas, within the Kubernetes cluster. */
                readonly addresses: readonly string[];
                readonly clusterId: string | null;
            };
            /** @description Null without prices. */
            readonly estimatedMonthlyPrice: components["schemas"]["EstimatedPrice"] | null;
            readonly limits: {
                readonly maxEventsPerBatch: number;
                readonly maxResults: number;
                readonly maxRequestBytes: number;
            };
            readonly deletionProtection: boolean;
            readonly labels: {
                readonly [key: string]: string;
            };
            /** @description Its active profile. */
            readonly activeProfileId: string;
            readonly activeJobId: string | null;
            /** @description Goes up with each change; part of the ETag. */
            readonly version: number;
            /**
             * Format: date-time
             * @description When it was accepted. RFC 3339, UTC, milliseconds.
             */
            readonly createdAt: string;
            readonly createdBy: components["schemas"]["Actor"];
            /**
             * Format: date-time
             * @description When it last changed. RFC 3339, UTC, milliseconds.
             */
            readonly updatedAt: string;
            readonly readyAt: string | null;
            readonly deletedAt: string | null;
            readonly purgeAt: string | null;
        };
        readonly Reason: {
            readonly code: string;
            readonly message: string;
        };
        readonly Actor: {
            /**
             * @description `kubernetes`: somebody who wrote to the resource in the cluster.
             * @enum {string}
             */
            readonly type: "user" | "api_key" | "system" | "kubernetes";
            readonly id: string | null;
            readonly display: string;
        };
        /** @description One revision of what the database is made of. */
        readonly Profile: {
            /** @description Profile ID. */
            readonly id: string;
            /** @description Its database. */
            readonly databaseId: string;
            readonly revision: number;
            readonly active: boolean;
            /** @enum {string} */
            readonly status: "PROVISIONING" | "READY" | "SUSPENDED" | "FAILED" | "DELETING" | "DELETED";
            /** @enum {string} */
            readonly health: "HEALTHY" | "DEGRADED" | "UNAVAILABLE" | "UNKNOWN";
            readonly provider: string;
            readonly region: string;
            /** @enum {string} */
            readonly clusterConfiguration: "single" | "ha-3" | "ha-6";
            readonly clusterSize: string;
            readonly storageTier: string;
            /** @description GiB of each replica. */
            readonly selectedStorageGb: number;
            readonly parameters: {
                readonly [key: string]: string;
            };
            /** @enum {string} */
            readonly engine: "Builtin" | "TigerBeetle";
            readonly engineVersion: string;
            /**
             * Format: date-time
             * @description When it was made. RFC 3339, UTC, milliseconds.
             */
            readonly createdAt: string;
            readonly readyAt: string | null;
        };
        readonly Job: {
            /** @description Job ID. */
            readonly id: string;
            /** @description At present one of database.create, database.delete, database.restore_deleted; more may come. */
            readonly type: string;
            /** @enum {string} */
            readonly status: "QUEUED" | "RUNNING" | "WAITING" | "CANCELING" | "SUCCEEDED" | "FAILED" | "CANCELED";
            /** @description What it is done to. */
            readonly databaseId: string;
            readonly progress: {
                readonly percent: number;
                readonly message: string;
                readonly estimatedSecondsRemaining: number | null;
            };
            readonly steps: readonly {
                readonly name: string;
                /** @enum {string} */
                readonly status: "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "SKIPPED";
                readonly startedAt: string | null;
                readonly finishedAt: string | null;
            }[];
            readonly attempt: number;
            readonly maxAttempts: number;
            readonly deadlineAt: string | null;
            readonly cancellable: boolean;
            readonly retryable: boolean;
            /** @description Why it failed. */
            readonly error: {
                readonly code: string;
                readonly title: string;
                readonly detail: string;
            } | null;
            readonly actor: components["schemas"]["Actor"];
            /**
             * Format: date-time
             * @description When it was accepted. RFC 3339, UTC, milliseconds.
             */
            readonly createdAt: string;
            readonly startedAt: string | null;
            readonly finishedAt: string | null;
            readonly links: {
                readonly self: string;
                readonly database: string;
            };
        };
        readonly CreateDatabaseRequest: {
            /** @description 3 to 40 characters: a letter, then letters, digits and hyphens, no hyphen at the end; all lower case. Unique in the organization. */
            readonly name: string;
            /**
             * @description An empty cluster.
             * @default new
             * @constant
             */
            readonly mode?: "new";
            /** @description A provider of the catalog; its default when absent. */
            readonly provider?: string;
            /** @description A region of the provider of the catalog; its default when absent. */
            readonly region?: string;
            /** @description A topology of the catalog; its default when absent. */
            readonly clusterConfiguration?: string;
            /** @description A size of the catalog; its default when absent. */
            readonly clusterSize?: string;
            /** @description A storage tier of the catalog; its default when absent. */
            readonly storageTier?: string;
            /** @description GiB of each replica; the catalog’s default when absent. */
            readonly selectedStorageGb?: number;
            /** @description An engine of the catalog; its default when absent. */
            readonly engine?: string;
            /** @description A version of the engine of the catalog; its default when absent. */
            readonly engineVersion?: string;
            /** @description Engine parameters by name, as the catalog lists them. */
            readonly parameters?: {
                readonly [key: string]: string;
            };
            /** @description At most 16; keys of 1 to 63, values of 0 to 255 characters. */
            readonly labels?: {
                readonly [key: string]: string;
            };
            /** @description While true, deleting is refused. When absent: true with replicas, false without. */
            readonly deletionProtection?: boolean;
            /** @description Refuses the request when the catalog has changed since. */
            readonly catalogVersion?: string;
        };
        readonly DatabaseList: {
            readonly data: readonly components["schemas"]["Database"][];
            readonly page: components["schemas"]["Page"];
        };
        readonly Page: {
            readonly limit: number;
            /** @description Null when there is no more. */
            readonly nextCursor: string | null;
            readonly hasMore: boolean;
        };
        readonly DatabaseWithProfile: {
            readonly database: components["schemas"]["Database"];
            readonly profile: components["schemas"]["Profile"];
        };
        readonly ChangedDatabase: {
            /** @constant */
            readonly success: true;
            readonly database: components["schemas"]["Database"];
            readonly profile: components["schemas"]["Profile"];
        };
        readonly UpdateDatabaseRequest: {
            readonly deletionProtection?: boolean;
            /** @description Each label is added or replaced; null takes it off, and null instead of the labels takes all off (RFC 7396). At most 16 may be left. */
            readonly labels?: {
                readonly [key: string]: string | null;
            } | null;
        };
        readonly DatabaseWithJob: {
            /** @constant */
            readonly success: true;
            readonly database: components["schemas"]["Database"];
            readonly profile: components["schemas"]["Profile"];
            readonly job: components["schemas"]["Job"];
        };
        readonly RestoreDatabaseRequest: {
            /** @description Another name, where the old one was taken meanwhile. */
            readonly name?: string;
        };
        readonly JobList: {
            readonly data: readonly components["schemas"]["Job"][];
            readonly page: components["schemas"]["Page"];
        };
        readonly JobAnswer: {
            readonly job: components["schemas"]["Job"];
        };
        readonly ChangedJob: {
            /** @constant */
            readonly success: true;
            readonly job: components["schemas"]["Job"];
        };
        readonly RefuseJobRequest: {
            /** @description Shown to whoever asked for it. */
            readonly reason: string;
        };
        readonly CreateAccountsAnswer: {
            /**
             * @description It was executed; what the ledger said is in the result.
             * @constant
             */
            readonly success: true;
            /** @constant */
            readonly operation: "create_accounts";
            readonly execution: components["schemas"]["Execution"];
            /** Format: uri */
            readonly documentationUrl: string;
            readonly summary: {
                readonly created: number;
                readonly exists: number;
                readonly failed: number;
            };
            readonly result: readonly components["schemas"]["EventResult"][];
        };
        readonly Execution: {
            /** @enum {string} */
            readonly kind: "read" | "write";
            readonly requestId: string;
            /** @description Which database. */
            readonly databaseId: string;
            /**
             * Format: uint128
             * @description Its cluster.
             */
            readonly clusterId: string;
            readonly engineVersion: string;
            readonly eventCount: number;
            readonly resultCount: number;
            /** @description Waiting in the gateway. */
            readonly gatewayMs: number;
            /** @description In the ledger, network included. */
            readonly ledgerMs: number;
            readonly durationMs: number;
            /**
             * Format: date-time
             * @description When it was answered. RFC 3339, UTC, milliseconds.
             */
            readonly executedAt: string;
        };
        readonly EventResult: {
            /** @description In the request. */
            readonly index: number;
            /**
             * Format: uint128
             * @description Of the event.
             */
            readonly id: string;
            /** @description TigerBeetle’s name, such as `created`. */
            readonly status: string;
            /**
             * Format: uint64
             * @description Nanoseconds since 1970.
             */
            readonly timestamp: string;
            /**
             * Format: uri
             * @description Of what failed.
             */
            readonly documentationUrl?: string;
        };
        readonly CreateAccountsRequest: readonly components["schemas"]["AccountInput"][];
        readonly AccountInput: {
            /**
             * Format: uint128
             * @description Unique, not 0, not 2^128 - 1.
             */
            readonly id: string | number;
            /**
             * Format: uint32
             * @description Transfers are between accounts of one ledger.
             */
            readonly ledger: string | number;
            /**
             * Format: uint16
             * @description What kind of account it is, to you.
             */
            readonly code: string | number;
            /** @description Bits as a number or as digits, one name, names joined with |, or a list of names: linked (1), debits_must_not_exceed_credits (2), credits_must_not_exceed_debits (4), history (8), imported (16), closed (32). */
            readonly flags?: number | string | readonly ("linked" | "debits_must_not_exceed_credits" | "credits_must_not_exceed_debits" | "history" | "imported" | "closed")[];
            /**
             * Format: uint128
             * @description Yours; 0 when absent.
             */
            readonly user_data_128?: string | number;
            /**
             * Format: uint64
             * @description Yours; 0 when absent.
             */
            readonly user_data_64?: string | number;
            /**
             * Format: uint32
             * @description Yours; 0 when absent.
             */
            readonly user_data_32?: string | number;
            /**
             * Format: uint128
             * @description 0 only.
             */
            readonly debits_pending?: string | number;
            /**
             * Format: uint128
             * @description 0 only.
             */
            readonly debits_posted?: string | number;
            /**
             * Format: uint128
             * @description 0 only.
             */
            readonly credits_pending?: string | number;
            /**
             * Format: uint128
             * @description 0 only.
             */
            readonly credits_posted?: string | number;
            /**
             * Format: uint64
             * @description With the flag imported only: nanoseconds since 1970.
             */
            readonly timestamp?: string | number;
        };
        readonly CreateTransfersAnswer: {
            /**
             * @description It was executed; what the ledger said is in the result.
             * @constant
             */
            readonly success: true;
            /** @constant */
            readonly operation: "create_transfers";
            readonly execution: components["schemas"]["Execution"];
            /** Format: uri */
            readonly documentationUrl: string;
            readonly summary: {
                readonly created: number;
                readonly exists: number;
                readonly failed: number;
            };
            readonly result: readonly components["schemas"]["EventResult"][];
        };
        readonly CreateTransfersRequest: readonly components["schemas"]["TransferInput"][];
        readonly TransferInput: {
            /**
             * Format: uint128
             * @description Unique, not 0, not 2^128 - 1.
             */
            readonly id: string | number;
            /**
             * Format: uint128
             * @description Not needed to post or void.
             */
            readonly debit_account_id?: string | number;
            /**
             * Format: uint128
             * @description Not needed to post or void.
             */
            readonly credit_account_id?: string | number;
            /** @description `max` (2^128 - 1) posts the whole pending amount, and balances all there is. Not needed to void. */
            readonly amount?: "max" | (string | number);
            /**
             * Format: uint128
             * @description The pending transfer to post or void.
             */
            readonly pending_id?: string | number;
            /**
             * Format: uint128
             * @description Yours; 0 when absent.
             */
            readonly user_data_128?: string | number;
            /**
             * Format: uint64
             * @description Yours; 0 when absent.
             */
            readonly user_data_64?: string | number;
            /**
             * Format: uint32
             * @description Yours; 0 when absent.
             */
            readonly user_data_32?: string | number;
            /**
             * Format: uint32
             * @description Of a pending transfer, in seconds.
             */
            readonly timeout?: string | number;
            /**
             * Format: uint64
             * @description Instead of timeout: milliseconds, a multiple of 1000.
             */
            readonly timeout_ms?: string | number;
            /**
             * Format: uint32
             * @description Not needed to post or void.
             */
            readonly ledger?: string | number;
            /**
             * Format: uint16
             * @description What kind of transfer it is, to you. Not needed to post or void.
             */
            readonly code?: string | number;
            /** @description Bits as a number or as digits, one name, names joined with |, or a list of names: linked (1), pending (2), post_pending_transfer (4), void_pending_transfer (8), balancing_debit (16), balancing_credit (32), closing_debit (64), closing_credit (128), imported (256). */
            readonly flags?: number | string | readonly ("linked" | "pending" | "post_pending_transfer" | "void_pending_transfer" | "balancing_debit" | "balancing_credit" | "closing_debit" | "closing_credit" | "imported")[];
            /**
             * Format: uint64
             * @description With the flag imported only: nanoseconds since 1970.
             */
            readonly timestamp?: string | number;
        };
        readonly LookupAccountsAnswer: {
            /**
             * @description It was executed; what the ledger said is in the result.
             * @constant
             */
            readonly success: true;
            /** @constant */
            readonly operation: "lookup_accounts";
            readonly execution: components["schemas"]["Execution"];
            /** Format: uri */
            readonly documentationUrl: string;
            readonly missing: readonly string[];
            readonly result: readonly components["schemas"]["Account"][];
        };
        readonly Account: {
            /**
             * Format: uint128
             * @description Account ID.
             */
            readonly id: string;
            /**
             * Format: uint128
             * @description Sum of pending debits.
             */
            readonly debits_pending: string;
            /**
             * Format: uint128
             * @description Sum of posted debits.
             */
            readonly debits_posted: string;
            /**
             * Format: uint128
             * @description Sum of pending credits.
             */
            readonly credits_pending: string;
            /**
             * Format: uint128
             * @description Sum of posted credits.
             */
            readonly credits_posted: string;
            /**
             * Format: uint128
             * @description Yours.
             */
            readonly user_data_128: string;
            /**
             * Format: uint64
             * @description Yours.
             */
            readonly user_data_64: string;
            /** @description Yours. */
            readonly user_data_32: number;
            /** @description Its ledger. */
            readonly ledger: number;
            /** @description Its kind. */
            readonly code: number;
            /** @description Bits. */
            readonly flags: number;
            /**
             * Format: uint64
             * @description When it was made: nanoseconds since 1970.
             */
            readonly timestamp: string;
        };
        readonly LookupRequest: readonly (string | number)[] | {
            readonly ids: readonly (string | number)[];
        };
        readonly LookupTransfersAnswer: {
            /**
             * @description It was executed; what the ledger said is in the result.
             * @constant
             */
            readonly success: true;
            /** @constant */
            readonly operation: "lookup_transfers";
            readonly execution: components["schemas"]["Execution"];
            /** Format: uri */
            readonly documentationUrl: string;
            readonly missing: readonly string[];
            readonly result: readonly components["schemas"]["Transfer"][];
        };
        readonly Transfer: {
            /**
             * Format: uint128
             * @description Transfer ID.
             */
            readonly id: string;
            /**
             * Format: uint128
             * @description The account that is debited.
             */
            readonly debit_account_id: string;
            /**
             * Format: uint128
             * @description The account that is credited.
             */
            readonly credit_account_id: string;
            /**
             * Format: uint128
             * @description How much.
             */
            readonly amount: string;
            /**
             * Format: uint128
             * @description The pending transfer that it posts or voids.
             */
            readonly pending_id: string;
            /**
             * Format: uint128
             * @description Yours.
             */
            readonly user_data_128: string;
            /**
             * Format: uint64
             * @description Yours.
             */
            readonly user_data_64: string;
            /** @description Yours. */
            readonly user_data_32: number;
            /** @description Of a pending transfer, in seconds. */
            readonly timeout: number;
            /** @description Its ledger. */
            readonly ledger: number;
            /** @description Its kind. */
            readonly code: number;
            /** @description Bits. */
            readonly flags: number;
            /**
             * Format: uint64
             * @description When it was made: nanoseconds since 1970.
             */
            readonly timestamp: string;
        };
        readonly GetAccountTransfersAnswer: {
            /**
             * @description It was executed; what the ledger said is in the result.
             * @constant
             */
            readonly success: true;
            /** @constant */
            readonly operation: "get_account_transfers";
            readonly execution: components["schemas"]["Execution"];
            /** Format: uri */
            readonly documentationUrl: string;
            readonly page: {
                readonly limit: number;
                readonly hasMore: boolean;
                /**
                 * @description At the largest limit nobody knows.
                 * @constant
                 */
                readonly hasMoreExact?: false;
                /** @description The filter that goes on behind the last row. */
                readonly next: components["schemas"]["AccountFilter"] | null;
            };
            readonly warnings?: readonly {
                readonly code: string;
                readonly detail: string;
            }[];
            readonly result: readonly components["schemas"]["Transfer"][];
        };
        /** @description Flags are debits|credits when absent. */
        readonly AccountFilter: {
            /**
             * Format: uint128
             * @description Whose rows.
             */
            readonly account_id: string | number;
            /**
             * Format: uint16
             * @description Rows with this code only.
             */
            readonly code?: string | number;
            /**
             * Format: uint128
             * @description Yours; 0 when absent.
             */
            readonly user_data_128?: string | number;
            /**
             * Format: uint64
             * @description Yours; 0 when absent.
             */
            readonly user_data_64?: string | number;
            /**
             * Format: uint32
             * @description Yours; 0 when absent.
             */
            readonly user_data_32?: string | number;
            /**
             * Format: uint64
             * @description Nanoseconds since 1970; 0 is no bound.
             */
            readonly timestamp_min?: string | number;
            /**
             * Format: uint64
             * @description Nanoseconds since 1970; 0 is no bound.
             */
            readonly timestamp_max?: string | number;
            /**
             * Format: uint32
             * @description Rows at most, 1 to 8189; 100 when absent.
             */
            readonly limit?: string | number;
            /** @description Bits as a number or as digits, one name, names joined with |, or a list of names: debits (1), credits (2), reversed (4). */
            readonly flags?: number | string | readonly ("debits" | "credits" | "reversed")[];
        };
        readonly GetAccountBalancesAnswer: {
            /**
             * @description It was executed; what the ledger said is in the result.
             * @constant
             */
            readonly success: true;
            /** @constant */
            readonly operation: "get_account_balances";
            readonly execution: components["schemas"]["Execution"];
            /** Format: uri */
            readonly documentationUrl: string;
            readonly page: {
                readonly limit: number;
                readonly hasMore: boolean;
                /**
                 * @description At the largest limit nobody knows.
                 * @constant
                 */
                readonly hasMoreExact?: false;
                /** @description The filter that goes on behind the last row. */
                readonly next: components["schemas"]["AccountFilter"] | null;
            };
            readonly warnings?: readonly {
                readonly code: string;
                readonly detail: string;
            }[];
            readonly result: readonly components["schemas"]["AccountBalance"][];
        };
        readonly AccountBalance: {
            /**
             * Format: uint128
             * @description Sum of pending debits.
             */
            readonly debits_pending: string;
            /**
             * Format: uint128
             * @description Sum of posted debits.
             */
            readonly debits_posted: string;
            /**
             * Format: uint128
             * @description Sum of pending credits.
             */
            readonly credits_pending: string;
            /**
             * Format: uint128
             * @description Sum of posted credits.
             */
            readonly credits_posted: string;
            /**
             * Format: uint64
             * @description Since when: nanoseconds since 1970.
             */
            readonly timestamp: string;
        };
        readonly QueryAccountsAnswer: {
            /**
             * @description It was executed; what the ledger said is in the result.
             * @constant
             */
            readonly success: true;
            /** @constant */
            readonly operation: "query_accounts";
            readonly execution: components["schemas"]["Execution"];
            /** Format: uri */
            readonly documentationUrl: string;
            readonly page: {
                readonly limit: number;
                readonly hasMore: boolean;
                /**
                 * @description At the largest limit nobody knows.
                 * @constant
                 */
                readonly hasMoreExact?: false;
                /** @description The filter that goes on behind the last row. */
                readonly next: components["schemas"]["QueryFilter"] | null;
            };
            readonly warnings?: readonly {
                readonly code: string;
                readonly detail: string;
            }[];
            readonly result: readonly components["schemas"]["Account"][];
        };
        readonly QueryFilter: {
            /**
             * Format: uint32
             * @description Rows of this ledger only.
             */
            readonly ledger?: string | number;
            /**
             * Format: uint16
             * @description Rows with this code only.
             */
            readonly code?: string | number;
            /**
             * Format: uint128
             * @description Yours; 0 when absent.
             */
            readonly user_data_128?: string | number;
            /**
             * Format: uint64
             * @description Yours; 0 when absent.
             */
            readonly user_data_64?: string | number;
            /**
             * Format: uint32
             * @description Yours; 0 when absent.
             */
            readonly user_data_32?: string | number;
            /**
             * Format: uint64
             * @description Nanoseconds since 1970; 0 is no bound.
             */
            readonly timestamp_min?: string | number;
            /**
             * Format: uint64
             * @description Nanoseconds since 1970; 0 is no bound.
             */
            readonly timestamp_max?: string | number;
            /**
             * Format: uint32
             * @description Rows at most, 1 to 8189; 100 when absent.
             */
            readonly limit?: string | number;
            /** @description Bits as a number or as digits, one name, names joined with |, or a list of names: reversed (1). */
            readonly flags?: number | string | readonly "reversed"[];
        };
        readonly QueryTransfersAnswer: {
            /**
             * @description It was executed; what the ledger said is in the result.
             * @constant
             */
            readonly success: true;
            /** @constant */
            readonly operation: "query_transfers";
            readonly execution: components["schemas"]["Execution"];
            /** Format: uri */
            readonly documentationUrl: string;
            readonly page: {
                readonly limit: number;
                readonly hasMore: boolean;
                /**
                 * @description At the largest limit nobody knows.
                 * @constant
                 */
                readonly hasMoreExact?: false;
                /** @description The filter that goes on behind the last row. */
                readonly next: components["schemas"]["QueryFilter"] | null;
            };
            readonly warnings?: readonly {
                readonly code: string;
                readonly detail: string;
            }[];
            readonly result: readonly components["schemas"]["Transfer"][];
        };
        readonly Session: {
            /** @constant */
            readonly authenticated: true;
            readonly credential: {
                /** @enum {string} */
                readonly type: "api_key" | "access_token" | "session";
                readonly id: string;
                readonly name: string;
                readonly permissions: readonly ("db:read" | "db:write")[];
                readonly databaseScope: components["schemas"]["DatabaseScope"] | components["schemas"]["MemberDatabaseScope"];
                readonly expiresAt: string | null;
            };
            /** @description Null for keys. */
            readonly user: {
                readonly id: string | null;
                readonly display: string;
                readonly email: string | null;
                readonly administrator: boolean;
            } | null;
            /** @description Null for a person who has none yet. */
            readonly organization: {
                /** @description The organization that is acted for. */
                readonly id: string;
                readonly name: string;
                readonly slug: string;
                readonly role: ("owner" | "admin" | "developer" | "viewer" | "billing") | null;
                /** @description The rights of the caller’s role there; empty for keys, which have permissions. */
                readonly rights: readonly ("readDatabases" | "writeLedger" | "createDatabase" | "changeDatabase" | "manageOwnKeys" | "manageKeys" | "manageWebhooks" | "manageMembers" | "manageOwners" | "manageBilling" | "readAuditLog")[];
            } | null;
            /** @description A person’s; empty for keys. */
            readonly organizations: readonly {
                /** @description Organization ID. */
                readonly id: string;
                readonly name: string;
                readonly slug: string;
                /** @description The Kubernetes namespace of its databases. */
                readonly namespace: string;
                /**
                 * @description SUSPENDED: its records can be read, its databases can be deleted and access can be revoked, and nothing else; its databases run on. DELETED: it can be restored until `purgeAt`.
                 * @enum {string}
                 */
                readonly status: "ACTIVE" | "SUSPENDED" | "DELETED";
                /** @description For its members; null unless it is suspended. */
                readonly suspensionReason: string | null;
                /** @description Maximum of its databases; null: that of the installation. */
                readonly databasesMax: number | null;
                /** @description Of the caller; null for keys. */
                readonly role: ("owner" | "admin" | "developer" | "viewer" | "billing") | null;
                /**
                 * Format: date-time
                 * @description When it was made. RFC 3339, UTC, milliseconds.
                 */
                readonly createdAt: string;
                readonly deletedAt: string | null;
                readonly purgeAt: string | null;
                /** @description The rights of the caller’s role there; empty for keys, which have permissions. */
                readonly rights: readonly ("readDatabases" | "writeLedger" | "createDatabase" | "changeDatabase" | "manageOwnKeys" | "manageKeys" | "manageWebhooks" | "manageMembers" | "manageOwners" | "manageBilling" | "readAuditLog")[];
            }[];
            readonly limits: {
                readonly maxDatabases: number;
                readonly requestsPerMinute: number;
            };
            /**
             * Format: date-time
             * @description Now. RFC 3339, UTC, milliseconds.
             */
            readonly serverTime: string;
            /** @constant */
            readonly apiVersion: "v1";
        };
        readonly DatabaseScope: {
            /** @constant */
            readonly type: "ALL";
        } | {
            /** @constant */
            readonly type: "DATABASE";
            /** @description The one database. */
            readonly databaseId: string;
        };
        /** @description The databases that they may use; some only for developer and viewer. */
        readonly MemberDatabaseScope: {
            /** @constant */
            readonly type: "ALL";
        } | {
            /** @constant */
            readonly type: "DATABASES";
            readonly databaseIds: readonly string[];
        };
        readonly OpenedSession: {
            /** @constant */
            readonly success: true;
            /** @description To be sent as X-CSRF-Token with every request that changes something. */
            readonly csrfToken: string;
            /**
             * Format: date-time
             * @description When the session ends at the latest. RFC 3339, UTC, milliseconds.
             */
            readonly expiresAt: string;
        };
        readonly OpenAdministratorSessionRequest: {
            /** @description The bootstrap token, which the installation keeps in a Secret. */
            readonly token: string;
        };
        readonly SessionList: {
            readonly data: readonly components["schemas"]["OwnSession"][];
            readonly page: components["schemas"]["Page"];
        };
        readonly OwnSession: {
            /** @description Session ID. */
            readonly id: string;
            /**
             * @description `device`: signed in by the device flow.
             * @enum {string}
             */
            readonly kind: "browser" | "device";
            /** @description Whether this request was made with it. */
            readonly current: boolean;
            /** @description Where it was opened from. */
            readonly ip: string | null;
            readonly userAgent: string | null;
            /**
             * Format: date-time
             * @description When it was opened. RFC 3339, UTC, milliseconds.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When it was used last, to the minute. RFC 3339, UTC, milliseconds.
             */
            readonly lastUsedAt: string;
            /**
             * Format: date-time
             * @description When it ends at the latest. RFC 3339, UTC, milliseconds.
             */
            readonly expiresAt: string;
        };
        readonly CreatedOrganization: {
            /** @constant */
            readonly success: true;
            readonly organization: components["schemas"]["Organization"];
        };
        readonly Organization: {
            /** @description Organization ID. */
            readonly id: string;
            readonly name: string;
            readonly slug: string;
            /** @description The Kubernetes namespace of its databases. */
            readonly namespace: string;
            /**
             * @description SUSPENDED: its records can be read, its databases can be deleted and access can be revoked, and nothing else; its databases run on. DELETED: it can be restored until `purgeAt`.
             * @enum {string}
             */
            readonly status: "ACTIVE" | "SUSPENDED" | "DELETED";
            /** @description For its members; null unless it is suspended. */
            readonly suspensionReason: string | null;
            /** @description Maximum of its databases; null: that of the installation. */
            readonly databasesMax: number | null;
            /** @description Of the caller; null for keys. */
            readonly role: ("owner" | "admin" | "developer" | "viewer" | "billing") | null;
            /**
             * Format: date-time
             * @description When it was made. RFC 3339, UTC, milliseconds.
             */
            readonly createdAt: string;
            readonly deletedAt: string | null;
            readonly purgeAt: string | null;
        };
        readonly CreateOrganizationRequest: {
            /** @description For people. */
            readonly name: string;
            /** @description 3 to 40 characters; its databases are in the Kubernetes namespace `org-<slug>`. */
            readonly slug: string;
        };
        readonly OrganizationList: {
            readonly data: readonly components["schemas"]["Organization"][];
            readonly page: components["schemas"]["Page"];
        };
        readonly OrganizationAnswer: {
            readonly organization: components["schemas"]["Organization"];
        };
        readonly ChangedOrganization: {
            /** @constant */
            readonly success: true;
            readonly organization: components["schemas"]["Organization"];
        };
        readonly UpdateOrganizationRequest: {
            /** @description For people. */
            readonly name?: string;
            /** @description Maximum of its databases; null: that of the installation. Only the administrator of the installation sets it. */
            readonly databasesMax?: number | null;
        };
        readonly SuspendOrganizationRequest: {
            /** @description Reason, which its members see. */
            readonly reason: string;
        };
        readonly MemberList: {
            readonly data: readonly components["schemas"]["Member"][];
            readonly page: components["schemas"]["Page"];
        };
        readonly Member: {
            /** @description Membership ID. */
            readonly id: string;
            readonly user: {
                /** @description User ID. */
                readonly id: string;
                readonly name: string;
                readonly email: string | null;
            };
            /** @enum {string} */
            readonly role: "owner" | "admin" | "developer" | "viewer" | "billing";
            readonly databaseScope: components["schemas"]["MemberDatabaseScope"];
            /**
             * Format: date-time
             * @description When they joined. RFC 3339, UTC, milliseconds.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When they were changed last. RFC 3339, UTC, milliseconds.
             */
            readonly updatedAt: string;
        };
        readonly MemberAnswer: {
            readonly member: components["schemas"]["Member"];
        };
        readonly ChangedMember: {
            /** @constant */
            readonly success: true;
            readonly member: components["schemas"]["Member"];
        };
        readonly UpdateMemberRequest: {
            /** @enum {string} */
            readonly role?: "owner" | "admin" | "developer" | "viewer" | "billing";
            readonly databaseScope?: components["schemas"]["MemberDatabaseScope"];
        };
        readonly RemovedMember: {
            /** @constant */
            readonly success: true;
            readonly member: components["schemas"]["Member"];
            /** @description The keys that they made and that worked until now. */
            readonly apiKeys: readonly components["schemas"]["ApiKey"][];
            /** @description The invitations that they made and that were open. */
            readonly invitations: readonly components["schemas"]["Invitation"][];
        };
        readonly ApiKey: {
            /** @description Key ID. */
            readonly id: string;
            /** @description Its organization. */
            readonly organizationId: string;
            readonly name: string;
            /** @description The public part of the key. */
            readonly prefix: string;
            /** @description The secret’s last four characters. */
            readonly lastFour: string;
            readonly permissions: readonly ("db:read" | "db:write")[];
            readonly databaseScope: components["schemas"]["DatabaseScope"];
            /** @enum {string} */
            readonly status: "ACTIVE" | "ROTATING" | "EXPIRED" | "REVOKED";
            readonly expiresAt: string | null;
            /** @description Addresses and CIDR ranges; empty: from anywhere. */
            readonly ipAllowList: readonly string[];
            readonly rotatedFrom: string | null;
            readonly rotationEndsAt: string | null;
            readonly lastUsedAt: string | null;
            readonly lastUsedIp: string | null;
            readonly lastUsedUserAgent: string | null;
            /**
             * Format: date-time
             * @description When it was made. RFC 3339, UTC, milliseconds.
             */
            readonly createdAt: string;
            readonly createdBy: components["schemas"]["Actor"];
            readonly revokedAt: string | null;
            readonly revokedBy: components["schemas"]["Actor"] | null;
        };
        readonly Invitation: {
            /** @description Invitation ID. */
            readonly id: string;
            readonly email: string;
            /** @enum {string} */
            readonly role: "owner" | "admin" | "developer" | "viewer" | "billing";
            readonly databaseScope: components["schemas"]["MemberDatabaseScope"];
            /** @enum {string} */
            readonly status: "OPEN" | "ACCEPTED" | "REVOKED" | "EXPIRED";
            /**
             * Format: date-time
             * @description When it was made. RFC 3339, UTC, milliseconds.
             */
            readonly createdAt: string;
            readonly createdBy: components["schemas"]["Actor"];
            /**
             * Format: date-time
             * @description When it was sent last. RFC 3339, UTC, milliseconds.
             */
            readonly sentAt: string;
            /**
             * Format: date-time
             * @description When it can be accepted no more. RFC 3339, UTC, milliseconds.
             */
            readonly expiresAt: string;
        };
        readonly SentInvitation: {
            /** @constant */
            readonly success: true;
            readonly invitation: components["schemas"]["Invitation"];
            /** @description What it is accepted with; shown this once. */
            readonly token: string;
            /** @description The page on which it is accepted. */
            readonly acceptUrl: string;
            /** @description Whether a mail is on its way; if not, hand `acceptUrl` over. */
            readonly mailed: boolean;
        };
        readonly CreateInvitationRequest: {
            /** @description Whoever accepts must have proven it to be theirs. */
            readonly email: string & (unknown & unknown);
            /** @enum {string} */
            readonly role: "owner" | "admin" | "developer" | "viewer" | "billing";
            /**
             * @default {
             *       "type": "ALL"
             *     }
             */
            readonly databaseScope?: components["schemas"]["MemberDatabaseScope"];
        };
        readonly InvitationList: {
            readonly data: readonly components["schemas"]["Invitation"][];
            readonly page: components["schemas"]["Page"];
        };
        readonly AcceptedInvitation: {
            /** @constant */
            readonly success: true;
            readonly organization: components["schemas"]["Organization"];
        };
        readonly AcceptInvitationRequest: {
            /** @description Of the invitation. */
            readonly token: string;
        };
        readonly ApiKeyWithSecret: {
            /** @constant */
            readonly success: true;
            readonly apiKey: components["schemas"]["ApiKey"];
            /** @description The whole key. It is shown this once. */
            readonly secret: string;
        };
        readonly CreateApiKeyRequest: {
            /** @description For people. */
            readonly name: string;
            /** @description `db:write` does not include `db:read`. */
            readonly permissions: readonly ("db:read" | "db:write")[];
            /**
             * @default {
             *       "type": "ALL"
             *     }
             */
            readonly databaseScope?: components["schemas"]["DatabaseScope"];
            /**
             * @description Addresses and CIDR ranges from which it may be used; empty: from anywhere.
             * @default []
             */
            readonly ipAllowList?: readonly (string)[];
            /** @description RFC 3339, in the future; in 90 days when absent, never when null. */
            readonly expiresAt?: string | null;
        };
        readonly ApiKeyList: {
            readonly data: readonly components["schemas"]["ApiKey"][];
            readonly page: components["schemas"]["Page"];
        };
        readonly ApiKeyAnswer: {
            readonly apiKey: components["schemas"]["ApiKey"];
        };
        readonly RotateApiKeyRequest: {
            /**
             * @description How long the old secret goes on working.
             * @default 86400
             */
            readonly gracePeriodSeconds?: number;
        };
        readonly ChangedApiKey: {
            /** @constant */
            readonly success: true;
            readonly apiKey: components["schemas"]["ApiKey"];
        };
        readonly RenewApiKeyRequest: {
            /** @description RFC 3339, in the future; in 90 days when absent, never when null. */
            readonly expiresAt?: string | null;
        };
        readonly AuditEventList: {
            readonly data: readonly components["schemas"]["AuditEvent"][];
            readonly page: components["schemas"]["Page"];
        };
        readonly AuditEvent: {
            /** @description Event ID, the same as in webhooks. */
            readonly id: string;
            /** @description Decimal; goes up within the organization. */
            readonly sequence: string;
            /**
             * Format: date-time
             * @description When it happened. RFC 3339, UTC, milliseconds.
             */
            readonly occurredAt: string;
            /** @description Such as `database.created`. */
            readonly type: string;
            /** @enum {string} */
            readonly outcome: "SUCCESS" | "DENIED" | "FAILED";
            readonly actor: components["schemas"]["Actor"];
            readonly ip: string | null;
            readonly userAgent: string | null;
            /** @description Where it happened. */
            readonly organizationId: string;
            readonly databaseId: string | null;
            readonly target: {
                readonly type: string;
                readonly id: string | null;
                readonly display: string;
            };
            readonly data: {
                readonly [key: string]: unknown;
            };
            /** @description What of it a person changed. */
            readonly changes: readonly {
                readonly path: string;
                readonly from: unknown;
                readonly to: unknown;
            }[];
            readonly requestId: string | null;
            /** @description Version of the signing key behind `hash`; null: a SHA-256 without a key. */
            readonly keyVersion: string | null;
            /** @description Of the event before in the organization; zeroes before the first. */
            readonly previousHash: string;
            /** @description HMAC-SHA-256 of `previousHash` and this event; `GET /audit-events/verify` checks it. */
            readonly hash: string;
        };
        readonly AuditVerification: {
            /** @description Whether no fault was found in the events that were checked. */
            readonly valid: boolean;
            /** @description Events that were found sound. */
            readonly checked: number;
            /** @description Number of the event to go on with; null: the end was reached, or a fault. */
            readonly next: string | null;
            /** @description Number of the first event with a keyed hash; null: there is none yet. */
            readonly keyedFrom: string | null;
            /** @description The last event. Whoever keeps it elsewhere can tell later that nothing was cut off. */
            readonly head: {
                readonly sequence: string;
                readonly hash: string;
            };
            /** @description The first one. */
            readonly fault: {
                /** @enum {string} */
                readonly code: "missing" | "altered" | "unkeyed" | "unknown_key" | "head_altered";
                readonly sequence: string;
                readonly detail: string;
            } | null;
        };
        readonly CreatedWebhookEndpoint: {
            /** @constant */
            readonly success: true;
            readonly webhookEndpoint: components["schemas"]["WebhookEndpoint"];
            /** @description With which deliveries are signed (Standard Webhooks). It is shown this once. */
            readonly secret: string;
        };
        readonly WebhookEndpoint: {
            /** @description Endpoint ID. */
            readonly id: string;
            readonly url: string;
            readonly description: string;
            readonly eventTypes: readonly string[];
            readonly databaseScope: components["schemas"]["DatabaseScope"];
            /** @enum {string} */
            readonly status: "ENABLED" | "DISABLED" | "AUTO_DISABLED";
            readonly disabledReason: string | null;
            /** @description Goes up with each change; part of the ETag. */
            readonly version: number;
            /**
             * Format: date-time
             * @description When it was made. RFC 3339, UTC, milliseconds.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed. RFC 3339, UTC, milliseconds.
             */
            readonly updatedAt: string;
        };
        readonly CreateWebhookEndpointRequest: {
            /**
             * Format: uri
             * @description https, with a host name.
             */
            readonly url: string;
            /** @default  */
            readonly description?: string;
            /**
             * @description Types of events, such as `database.ready`; `database.*`; `*`.
             * @default [
             *       "*"
             *     ]
             */
            readonly eventTypes?: readonly string[];
            /**
             * @default {
             *       "type": "ALL"
             *     }
             */
            readonly databaseScope?: components["schemas"]["DatabaseScope"];
        };
        readonly WebhookEndpointList: {
            readonly data: readonly components["schemas"]["WebhookEndpoint"][];
            readonly page: components["schemas"]["Page"];
        };
        readonly WebhookEndpointAnswer: {
            readonly webhookEndpoint: components["schemas"]["WebhookEndpoint"];
        };
        readonly ChangedWebhookEndpoint: {
            /** @constant */
            readonly success: true;
            readonly webhookEndpoint: components["schemas"]["WebhookEndpoint"];
        };
        readonly UpdateWebhookEndpointRequest: {
            /**
             * Format: uri
             * @description https, with a host name.
             */
            readonly url?: string;
            readonly description?: string;
            /** @description Types of events, such as `database.ready`; `database.*`; `*`. */
            readonly eventTypes?: readonly string[];
            readonly databaseScope?: components["schemas"]["DatabaseScope"];
            /** @enum {string} */
            readonly status?: "ENABLED" | "DISABLED";
        };
        readonly BillingAnswer: {
            readonly billing: components["schemas"]["BillingStanding"];
        };
        readonly BillingStanding: {
            /**
             * @description `none`: this service bills nobody.
             * @enum {string}
             */
            readonly provider: "none" | "stripe";
            /**
             * @description `PAST_DUE`: a payment failed and is tried again. `SUSPENDED`: payments failed for good, and the databases stand still with all their data.
             * @enum {string}
             */
            readonly status: "READY" | "SETUP_REQUIRED" | "PAST_DUE" | "SUSPENDED";
            /** @description Such as `visa` and `4242`. */
            readonly paymentMethod: {
                readonly brand: string;
                readonly last4: string | null;
            } | null;
            /** @description Of a month. When it is reached no further database can be created; none is stopped. */
            readonly spendLimit: components["schemas"]["Money"] | null;
            /** @description The month, of UTC. */
            readonly currentPeriod: {
                /**
                 * Format: date-time
                 * @description Its start. RFC 3339, UTC, milliseconds.
                 */
                readonly start: string;
                /**
                 * Format: date-time
                 * @description Its end. RFC 3339, UTC, milliseconds.
                 */
                readonly end: string;
                /** @description By the price of each database, up to `accruedUntil`. */
                readonly accrued: components["schemas"]["Money"];
                readonly accruedUntil: string | null;
            } | null;
            /** @description Databases that were asked for before billing was set up, the newest first. */
            readonly savedCreates: readonly components["schemas"]["SavedCreate"][];
        };
        readonly Money: {
            /** @description ISO 4217. */
            readonly currency: string;
            readonly amount: string;
        };
        readonly SavedCreate: {
            /** @description ID of the draft. */
            readonly id: string;
            /** @description Of the database. */
            readonly name: string;
            /** @enum {string} */
            readonly status: "WAITING" | "CREATED" | "FAILED";
            /** @description What was made of it. */
            readonly databaseId: string | null;
            /** @description Why nothing was made of it. */
            readonly error: components["schemas"]["Reason"] | null;
            /**
             * Format: date-time
             * @description When it was asked for. RFC 3339, UTC, milliseconds.
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Until when it waits. RFC 3339, UTC, milliseconds.
             */
            readonly expiresAt: string;
        };
        readonly ChangedBilling: {
            /** @constant */
            readonly success: true;
            readonly billing: components["schemas"]["BillingStanding"];
        };
        readonly UpdateBillingRequest: {
            /** @description Of a month. When it is reached no further database can be created; none is stopped. */
            readonly spendLimit: components["schemas"]["Money"] | null;
        };
        readonly OpenedCheckout: {
            /** @constant */
            readonly success: true;
            /**
             * Format: uri
             * @description Where a person sets billing up.
             */
            readonly checkoutUrl: string;
            /**
             * Format: date-time
             * @description Until when it can be used. RFC 3339, UTC, milliseconds.
             */
            readonly expiresAt: string;
        };
        readonly OpenCheckoutRequest: {
            /**
             * Format: uri
             * @description Where the checkout leads back to: on the service’s own site, which it is when absent.
             */
            readonly returnUrl?: string;
        };
        readonly StripeEvent: {
            readonly [key: string]: unknown;
        };
    };
    responses: {
        /** @description `invalid_parameter`: A parameter is not valid. */
        readonly invalid_parameter: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`: Too many requests. */
        readonly rate_limited: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `internal_error`: Internal error. */
        readonly internal_error: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `service_unavailable`: The service is not available at the moment. */
        readonly service_unavailable: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_parameter`: A parameter is not valid. `conflicting_credentials`: Two different credentials. */
        readonly "invalid_parameter-or-conflicting_credentials": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `authentication_required`: Authentication required. `invalid_credentials`: The credential is not valid. `credential_expired`: The credential has expired. */
        readonly "authentication_required-or-invalid_credentials-or-credential_expired": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `organization_required`: You belong to no organization. */
        readonly organization_required: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `organization_not_found`: Organization not found. */
        readonly organization_not_found: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_parameter`: A parameter is not valid. `conflicting_credentials`: Two different credentials. `malformed_json`: The body is not JSON. */
        readonly "invalid_parameter-or-conflicting_credentials-or-malformed_json": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `billing_required`: Billing setup required. */
        readonly billing_required: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `provisioning_not_permitted`: Only the administrator of the installation may do this. `quota_exceeded`: Quota exceeded. `csrf_failed`: The request does not come from our own pages. `insufficient_scope`: The credential does not allow this. `organization_required`: You belong to no organization. `organization_suspended`: The organization is suspended. */
        readonly "provisioning_not_permitted-or-quota_exceeded-or-csrf_failed-or-insufficient_scope-or-organization_required-or-organization_suspended": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `database_name_taken`: The name is taken. `catalog_changed`: The catalog has changed. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "database_name_taken-or-catalog_changed-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `payload_too_large`: The body is too large. */
        readonly payload_too_large: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unsupported_media_type`: The body’s type is not supported. */
        readonly unsupported_media_type: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly Accept: components["headers"]["Accept"];
                readonly "Accept-Encoding": components["headers"]["Accept-Encoding"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `catalog_choice_unavailable`: Not in the catalog. `storage_unavailable_for_topology`: This storage is not available for this topology. `validation_failed`: Request validation failed. `idempotency_key_reused`: The idempotency key was used for another request. */
        readonly "catalog_choice_unavailable-or-storage_unavailable_for_topology-or-validation_failed-or-idempotency_key_reused": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `provisioning_not_supported`: The provider makes no databases of this kind. */
        readonly provisioning_not_supported: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_parameter`: A parameter is not valid. `invalid_cursor`: The cursor is not valid. `conflicting_credentials`: Two different credentials. */
        readonly "invalid_parameter-or-invalid_cursor-or-conflicting_credentials": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `insufficient_scope`: The credential does not allow this. `organization_required`: You belong to no organization. */
        readonly "insufficient_scope-or-organization_required": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `organization_not_found`: Organization not found. `database_not_found`: Database not found. */
        readonly "organization_not_found-or-database_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `csrf_failed`: The request does not come from our own pages. `insufficient_scope`: The credential does not allow this. `organization_required`: You belong to no organization. */
        readonly "csrf_failed-or-insufficient_scope-or-organization_required": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `database_not_ready`: The database is not ready. */
        readonly database_not_ready: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `precondition_failed`: The object was changed meanwhile. */
        readonly precondition_failed: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `validation_failed`: Request validation failed. */
        readonly validation_failed: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `deletion_protected`: The database is protected. `operation_in_progress`: Another operation is in progress. */
        readonly "deletion_protected-or-operation_in_progress": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `quota_exceeded`: Quota exceeded. `csrf_failed`: The request does not come from our own pages. `insufficient_scope`: The credential does not allow this. `organization_required`: You belong to no organization. `organization_suspended`: The organization is suspended. */
        readonly "quota_exceeded-or-csrf_failed-or-insufficient_scope-or-organization_required-or-organization_suspended": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `database_name_taken`: The name is taken. `database_not_deleted`: The database is not deleted. `operation_in_progress`: Another operation is in progress. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "database_name_taken-or-database_not_deleted-or-operation_in_progress-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `database_purged`: The database is gone for good. */
        readonly database_purged: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `validation_failed`: Request validation failed. `idempotency_key_reused`: The idempotency key was used for another request. */
        readonly "validation_failed-or-idempotency_key_reused": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `job_not_found`: Job not found. `organization_not_found`: Organization not found. */
        readonly "job_not_found-or-organization_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_cancellable`: The job cannot be cancelled. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "not_cancellable-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `idempotency_key_reused`: The idempotency key was used for another request. */
        readonly idempotency_key_reused: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `csrf_failed`: The request does not come from our own pages. `insufficient_scope`: The credential does not allow this. `organization_required`: You belong to no organization. `organization_suspended`: The organization is suspended. */
        readonly "csrf_failed-or-insufficient_scope-or-organization_required-or-organization_suspended": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_retryable`: The job cannot be retried. `operation_in_progress`: Another operation is in progress. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "not_retryable-or-operation_in_progress-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `provisioning_not_permitted`: Only the administrator of the installation may do this. `csrf_failed`: The request does not come from our own pages. `insufficient_scope`: The credential does not allow this. `session_required`: Only a person may do this. `organization_required`: You belong to no organization. `organization_suspended`: The organization is suspended. */
        readonly "provisioning_not_permitted-or-csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_waiting`: The job does not wait for a person. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "not_waiting-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `provisioning_not_permitted`: Only the administrator of the installation may do this. `csrf_failed`: The request does not come from our own pages. `insufficient_scope`: The credential does not allow this. `session_required`: Only a person may do this. `organization_required`: You belong to no organization. */
        readonly "provisioning_not_permitted-or-csrf_failed-or-insufficient_scope-or-session_required-or-organization_required": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_parameter`: A parameter is not valid. `malformed_json`: The body is not JSON. `conflicting_credentials`: Two different credentials. */
        readonly "invalid_parameter-or-malformed_json-or-conflicting_credentials": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_acceptable`: No acceptable format of the answer. */
        readonly not_acceptable: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `validation_failed`: Request validation failed. `invalid_integer`: Not an integer within the field’s range. `invalid_filter`: The filter is not valid. `batch_too_large`: Too many events in one request. */
        readonly "validation_failed-or-invalid_integer-or-invalid_filter-or-batch_too_large": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `gateway_bad_reply`: The ledger’s answer was not valid. */
        readonly gateway_bad_reply: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `service_unavailable`: The service is not available at the moment. `ledger_unavailable`: The ledger is not reachable. `ledger_full`: The database is full. */
        readonly "service_unavailable-or-ledger_unavailable-or-ledger_full": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `ledger_timeout`: No answer within the deadline. */
        readonly ledger_timeout: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_parameter`: A parameter is not valid. `malformed_json`: The body is not JSON. */
        readonly "invalid_parameter-or-malformed_json": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_credentials`: The credential is not valid. */
        readonly invalid_credentials: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `csrf_failed`: The request does not come from our own pages. */
        readonly csrf_failed: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `csrf_failed`: The request does not come from our own pages. `session_required`: Only a person may do this. */
        readonly "csrf_failed-or-session_required": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `session_required`: Only a person may do this. */
        readonly session_required: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `organization_not_found`: Organization not found. `session_not_found`: Session not found. */
        readonly "organization_not_found-or-session_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `provisioning_not_permitted`: Only the administrator of the installation may do this. `csrf_failed`: The request does not come from our own pages. `session_required`: Only a person may do this. */
        readonly "provisioning_not_permitted-or-csrf_failed-or-session_required": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `organization_slug_taken`: The slug is taken. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "organization_slug_taken-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `provisioning_not_permitted`: Only the administrator of the installation may do this. `organization_suspended`: The organization is suspended. `csrf_failed`: The request does not come from our own pages. `session_required`: Only a person may do this. */
        readonly "provisioning_not_permitted-or-organization_suspended-or-csrf_failed-or-session_required": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `organization_not_empty`: The organization has databases. */
        readonly organization_not_empty: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `organization_not_deleted`: The organization is not deleted. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "organization_not_deleted-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `insufficient_scope`: The credential does not allow this. `session_required`: Only a person may do this. `organization_required`: You belong to no organization. */
        readonly "insufficient_scope-or-session_required-or-organization_required": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `organization_not_found`: Organization not found. `member_not_found`: Member not found. */
        readonly "organization_not_found-or-member_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `csrf_failed`: The request does not come from our own pages. `insufficient_scope`: The credential does not allow this. `session_required`: Only a person may do this. `organization_required`: You belong to no organization. `organization_suspended`: The organization is suspended. */
        readonly "csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `database_not_found`: Database not found. `organization_not_found`: Organization not found. `member_not_found`: Member not found. */
        readonly "database_not_found-or-organization_not_found-or-member_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `last_owner`: An organization needs at least one owner. */
        readonly last_owner: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `csrf_failed`: The request does not come from our own pages. `insufficient_scope`: The credential does not allow this. `session_required`: Only a person may do this. `organization_required`: You belong to no organization. */
        readonly "csrf_failed-or-insufficient_scope-or-session_required-or-organization_required": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `member_not_found`: Member not found. `organization_not_found`: Organization not found. */
        readonly "member_not_found-or-organization_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `last_owner`: An organization needs at least one owner. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "last_owner-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `database_not_found`: Database not found. `organization_not_found`: Organization not found. */
        readonly "database_not_found-or-organization_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `already_member`: Already a member. `invitation_exists`: An invitation is already open. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "already_member-or-invitation_exists-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `organization_not_found`: Organization not found. `invitation_not_found`: Invitation not found. */
        readonly "organization_not_found-or-invitation_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invitation_not_found`: Invitation not found. `organization_not_found`: Organization not found. */
        readonly "invitation_not_found-or-organization_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `already_member`: Already a member. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "already_member-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `quota_exceeded`: Quota exceeded. `csrf_failed`: The request does not come from our own pages. `insufficient_scope`: The credential does not allow this. `session_required`: Only a person may do this. `organization_required`: You belong to no organization. `organization_suspended`: The organization is suspended. */
        readonly "quota_exceeded-or-csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `organization_not_found`: Organization not found. `api_key_not_found`: API key not found. */
        readonly "organization_not_found-or-api_key_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `api_key_not_active`: The key is not active. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "api_key_not_active-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `organization_not_found`: Organization not found. `webhook_endpoint_not_found`: Webhook endpoint not found. */
        readonly "organization_not_found-or-webhook_endpoint_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `database_not_found`: Database not found. `organization_not_found`: Organization not found. `webhook_endpoint_not_found`: Webhook endpoint not found. */
        readonly "database_not_found-or-organization_not_found-or-webhook_endpoint_not_found": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `billing_not_used`: Billing is not used. */
        readonly billing_not_used: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `billing_not_used`: Billing is not used. `idempotency_in_progress`: The same request is still being worked on. `idempotency_answer_lost`: The request was carried out, and its answer can no longer be read. */
        readonly "billing_not_used-or-idempotency_in_progress-or-idempotency_answer_lost": {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found`: Not found. */
        readonly not_found: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Names this request in our logs; yours, where you sent a fitting one. */
        readonly "X-Request-Id": string;
        /** @description Changes whenever the answer does. */
        readonly ETag: string;
        /** @description Where it is. */
        readonly Location: string;
        /** @description The job, with rel="monitor". */
        readonly Link: string;
        /** @description Seconds. */
        readonly "Retry-After": number;
        /** @description How much a caller may take, as `"control";q=600;w=60`: so many requests in so many seconds (draft-ietf-httpapi-ratelimit-headers). */
        readonly "RateLimit-Policy": string;
        /** @description What is left of that, as `"control";r=599;t=60`: so many requests, and seconds until there are more. */
        readonly RateLimit: string;
        /** @description `true` where this is the answer of the first request with this Idempotency-Key. */
        readonly "Idempotent-Replayed": string;
        /** @description Types that a body may have. */
        readonly Accept: string;
        /** @description How a body may be compressed. */
        readonly "Accept-Encoding": string;
        /** @description The session, or that there is none any more. */
        readonly "Set-Cookie": string;
        /** @description Milliseconds in the ledger and in the gateway. */
        readonly "Server-Timing": string;
        /** @description `true` or `false`, where the answer is CSV: whether more rows follow. */
        readonly "Page-Has-More": string;
        /** @description The filter with which the next rows come, as JSON, where the answer is CSV. */
        readonly "Page-Next": string;
        /** @description Where the next page begins; absent after the last one. */
        readonly "Next-Cursor": string;
        /** @description Bearer. */
        readonly "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type Problem = components['schemas']['Problem'];
export type ProblemError = components['schemas']['ProblemError'];
export type Billing = components['schemas']['Billing'];
export type Provisioning = components['schemas']['Provisioning'];
export type ServiceHealth = components['schemas']['ServiceHealth'];
export type CreateCatalog = components['schemas']['CreateCatalog'];
export type DatabasePlan = components['schemas']['DatabasePlan'];
export type EstimatedPrice = components['schemas']['EstimatedPrice'];
export type CreatedDatabase = components['schemas']['CreatedDatabase'];
export type Database = components['schemas']['Database'];
export type Reason = components['schemas']['Reason'];
export type Actor = components['schemas']['Actor'];
export type Profile = components['schemas']['Profile'];
export type Job = components['schemas']['Job'];
export type CreateDatabaseRequest = components['schemas']['CreateDatabaseRequest'];
export type DatabaseList = components['schemas']['DatabaseList'];
export type Page = components['schemas']['Page'];
export type DatabaseWithProfile = components['schemas']['DatabaseWithProfile'];
export type ChangedDatabase = components['schemas']['ChangedDatabase'];
export type UpdateDatabaseRequest = components['schemas']['UpdateDatabaseRequest'];
export type DatabaseWithJob = components['schemas']['DatabaseWithJob'];
export type RestoreDatabaseRequest = components['schemas']['RestoreDatabaseRequest'];
export type JobList = components['schemas']['JobList'];
export type JobAnswer = components['schemas']['JobAnswer'];
export type ChangedJob = components['schemas']['ChangedJob'];
export type RefuseJobRequest = components['schemas']['RefuseJobRequest'];
export type CreateAccountsAnswer = components['schemas']['CreateAccountsAnswer'];
export type Execution = components['schemas']['Execution'];
export type EventResult = components['schemas']['EventResult'];
export type CreateAccountsRequest = components['schemas']['CreateAccountsRequest'];
export type AccountInput = components['schemas']['AccountInput'];
export type CreateTransfersAnswer = components['schemas']['CreateTransfersAnswer'];
export type CreateTransfersRequest = components['schemas']['CreateTransfersRequest'];
export type TransferInput = components['schemas']['TransferInput'];
export type LookupAccountsAnswer = components['schemas']['LookupAccountsAnswer'];
export type Account = components['schemas']['Account'];
export type LookupRequest = components['schemas']['LookupRequest'];
export type LookupTransfersAnswer = components['schemas']['LookupTransfersAnswer'];
export type Transfer = components['schemas']['Transfer'];
export type GetAccountTransfersAnswer = components['schemas']['GetAccountTransfersAnswer'];
export type AccountFilter = components['schemas']['AccountFilter'];
export type GetAccountBalancesAnswer = components['schemas']['GetAccountBalancesAnswer'];
export type AccountBalance = components['schemas']['AccountBalance'];
export type QueryAccountsAnswer = components['schemas']['QueryAccountsAnswer'];
export type QueryFilter = components['schemas']['QueryFilter'];
export type QueryTransfersAnswer = components['schemas']['QueryTransfersAnswer'];
export type Session = components['schemas']['Session'];
export type DatabaseScope = components['schemas']['DatabaseScope'];
export type MemberDatabaseScope = components['schemas']['MemberDatabaseScope'];
export type OpenedSession = components['schemas']['OpenedSession'];
export type OpenAdministratorSessionRequest = components['schemas']['OpenAdministratorSessionRequest'];
export type SessionList = components['schemas']['SessionList'];
export type OwnSession = components['schemas']['OwnSession'];
export type CreatedOrganization = components['schemas']['CreatedOrganization'];
export type Organization = components['schemas']['Organization'];
export type CreateOrganizationRequest = components['schemas']['CreateOrganizationRequest'];
export type OrganizationList = components['schemas']['OrganizationList'];
export type OrganizationAnswer = components['schemas']['OrganizationAnswer'];
export type ChangedOrganization = components['schemas']['ChangedOrganization'];
export type UpdateOrganizationRequest = components['schemas']['UpdateOrganizationRequest'];
export type SuspendOrganizationRequest = components['schemas']['SuspendOrganizationRequest'];
export type MemberList = components['schemas']['MemberList'];
export type Member = components['schemas']['Member'];
export type MemberAnswer = components['schemas']['MemberAnswer'];
export type ChangedMember = components['schemas']['ChangedMember'];
export type UpdateMemberRequest = components['schemas']['UpdateMemberRequest'];
export type RemovedMember = components['schemas']['RemovedMember'];
export type ApiKey = components['schemas']['ApiKey'];
export type Invitation = components['schemas']['Invitation'];
export type SentInvitation = components['schemas']['SentInvitation'];
export type CreateInvitationRequest = components['schemas']['CreateInvitationRequest'];
export type InvitationList = components['schemas']['InvitationList'];
export type AcceptedInvitation = components['schemas']['AcceptedInvitation'];
export type AcceptInvitationRequest = components['schemas']['AcceptInvitationRequest'];
export type ApiKeyWithSecret = components['schemas']['ApiKeyWithSecret'];
export type CreateApiKeyRequest = components['schemas']['CreateApiKeyRequest'];
export type ApiKeyList = components['schemas']['ApiKeyList'];
export type ApiKeyAnswer = components['schemas']['ApiKeyAnswer'];
export type RotateApiKeyRequest = components['schemas']['RotateApiKeyRequest'];
export type ChangedApiKey = components['schemas']['ChangedApiKey'];
export type RenewApiKeyRequest = components['schemas']['RenewApiKeyRequest'];
export type AuditEventList = components['schemas']['AuditEventList'];
export type AuditEvent = components['schemas']['AuditEvent'];
export type AuditVerification = components['schemas']['AuditVerification'];
export type CreatedWebhookEndpoint = components['schemas']['CreatedWebhookEndpoint'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type CreateWebhookEndpointRequest = components['schemas']['CreateWebhookEndpointRequest'];
export type WebhookEndpointList = components['schemas']['WebhookEndpointList'];
export type WebhookEndpointAnswer = components['schemas']['WebhookEndpointAnswer'];
export type ChangedWebhookEndpoint = components['schemas']['ChangedWebhookEndpoint'];
export type UpdateWebhookEndpointRequest = components['schemas']['UpdateWebhookEndpointRequest'];
export type BillingAnswer = components['schemas']['BillingAnswer'];
export type BillingStanding = components['schemas']['BillingStanding'];
export type Money = components['schemas']['Money'];
export type SavedCreate = components['schemas']['SavedCreate'];
export type ChangedBilling = components['schemas']['ChangedBilling'];
export type UpdateBillingRequest = components['schemas']['UpdateBillingRequest'];
export type OpenedCheckout = components['schemas']['OpenedCheckout'];
export type OpenCheckoutRequest = components['schemas']['OpenCheckoutRequest'];
export type StripeEvent = components['schemas']['StripeEvent'];
export type ResponseInvalidParameter = components['responses']['invalid_parameter'];
export type ResponseRateLimited = components['responses']['rate_limited'];
export type ResponseInternalError = components['responses']['internal_error'];
export type ResponseServiceUnavailable = components['responses']['service_unavailable'];
export type ResponseInvalidParameterOrConflictingCredentials = components['responses']['invalid_parameter-or-conflicting_credentials'];
export type ResponseAuthenticationRequiredOrInvalidCredentialsOrCredentialExpired = components['responses']['authentication_required-or-invalid_credentials-or-credential_expired'];
export type ResponseOrganizationRequired = components['responses']['organization_required'];
export type ResponseOrganizationNotFound = components['responses']['organization_not_found'];
export type ResponseInvalidParameterOrConflictingCredentialsOrMalformedJson = components['responses']['invalid_parameter-or-conflicting_credentials-or-malformed_json'];
export type ResponseBillingRequired = components['responses']['billing_required'];
export type ResponseProvisioningNotPermittedOrQuotaExceededOrCsrfFailedOrInsufficientScopeOrOrganizationRequiredOrOrganizationSuspended = components['responses']['provisioning_not_permitted-or-quota_exceeded-or-csrf_failed-or-insufficient_scope-or-organization_required-or-organization_suspended'];
export type ResponseDatabaseNameTakenOrCatalogChangedOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['database_name_taken-or-catalog_changed-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponsePayloadTooLarge = components['responses']['payload_too_large'];
export type ResponseUnsupportedMediaType = components['responses']['unsupported_media_type'];
export type ResponseCatalogChoiceUnavailableOrStorageUnavailableForTopologyOrValidationFailedOrIdempotencyKeyReused = components['responses']['catalog_choice_unavailable-or-storage_unavailable_for_topology-or-validation_failed-or-idempotency_key_reused'];
export type ResponseProvisioningNotSupported = components['responses']['provisioning_not_supported'];
export type ResponseInvalidParameterOrInvalidCursorOrConflictingCredentials = components['responses']['invalid_parameter-or-invalid_cursor-or-conflicting_credentials'];
export type ResponseInsufficientScopeOrOrganizationRequired = components['responses']['insufficient_scope-or-organization_required'];
export type ResponseOrganizationNotFoundOrDatabaseNotFound = components['responses']['organization_not_found-or-database_not_found'];
export type ResponseCsrfFailedOrInsufficientScopeOrOrganizationRequired = components['responses']['csrf_failed-or-insufficient_scope-or-organization_required'];
export type ResponseDatabaseNotReady = components['responses']['database_not_ready'];
export type ResponsePreconditionFailed = components['responses']['precondition_failed'];
export type ResponseValidationFailed = components['responses']['validation_failed'];
export type ResponseDeletionProtectedOrOperationInProgress = components['responses']['deletion_protected-or-operation_in_progress'];
export type ResponseQuotaExceededOrCsrfFailedOrInsufficientScopeOrOrganizationRequiredOrOrganizationSuspended = components['responses']['quota_exceeded-or-csrf_failed-or-insufficient_scope-or-organization_required-or-organization_suspended'];
export type ResponseDatabaseNameTakenOrDatabaseNotDeletedOrOperationInProgressOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['database_name_taken-or-database_not_deleted-or-operation_in_progress-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseDatabasePurged = components['responses']['database_purged'];
export type ResponseValidationFailedOrIdempotencyKeyReused = components['responses']['validation_failed-or-idempotency_key_reused'];
export type ResponseJobNotFoundOrOrganizationNotFound = components['responses']['job_not_found-or-organization_not_found'];
export type ResponseNotCancellableOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['not_cancellable-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseIdempotencyKeyReused = components['responses']['idempotency_key_reused'];
export type ResponseCsrfFailedOrInsufficientScopeOrOrganizationRequiredOrOrganizationSuspended = components['responses']['csrf_failed-or-insufficient_scope-or-organization_required-or-organization_suspended'];
export type ResponseNotRetryableOrOperationInProgressOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['not_retryable-or-operation_in_progress-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseProvisioningNotPermittedOrCsrfFailedOrInsufficientScopeOrSessionRequiredOrOrganizationRequiredOrOrganizationSuspended = components['responses']['provisioning_not_permitted-or-csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended'];
export type ResponseNotWaitingOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['not_waiting-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseProvisioningNotPermittedOrCsrfFailedOrInsufficientScopeOrSessionRequiredOrOrganizationRequired = components['responses']['provisioning_not_permitted-or-csrf_failed-or-insufficient_scope-or-session_required-or-organization_required'];
export type ResponseInvalidParameterOrMalformedJsonOrConflictingCredentials = components['responses']['invalid_parameter-or-malformed_json-or-conflicting_credentials'];
export type ResponseNotAcceptable = components['responses']['not_acceptable'];
export type ResponseValidationFailedOrInvalidIntegerOrInvalidFilterOrBatchTooLarge = components['responses']['validation_failed-or-invalid_integer-or-invalid_filter-or-batch_too_large'];
export type ResponseGatewayBadReply = components['responses']['gateway_bad_reply'];
export type ResponseServiceUnavailableOrLedgerUnavailableOrLedgerFull = components['responses']['service_unavailable-or-ledger_unavailable-or-ledger_full'];
export type ResponseLedgerTimeout = components['responses']['ledger_timeout'];
export type ResponseInvalidParameterOrMalformedJson = components['responses']['invalid_parameter-or-malformed_json'];
export type ResponseInvalidCredentials = components['responses']['invalid_credentials'];
export type ResponseCsrfFailed = components['responses']['csrf_failed'];
export type ResponseIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseCsrfFailedOrSessionRequired = components['responses']['csrf_failed-or-session_required'];
export type ResponseSessionRequired = components['responses']['session_required'];
export type ResponseOrganizationNotFoundOrSessionNotFound = components['responses']['organization_not_found-or-session_not_found'];
export type ResponseProvisioningNotPermittedOrCsrfFailedOrSessionRequired = components['responses']['provisioning_not_permitted-or-csrf_failed-or-session_required'];
export type ResponseOrganizationSlugTakenOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['organization_slug_taken-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseProvisioningNotPermittedOrOrganizationSuspendedOrCsrfFailedOrSessionRequired = components['responses']['provisioning_not_permitted-or-organization_suspended-or-csrf_failed-or-session_required'];
export type ResponseOrganizationNotEmpty = components['responses']['organization_not_empty'];
export type ResponseOrganizationNotDeletedOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['organization_not_deleted-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseInsufficientScopeOrSessionRequiredOrOrganizationRequired = components['responses']['insufficient_scope-or-session_required-or-organization_required'];
export type ResponseOrganizationNotFoundOrMemberNotFound = components['responses']['organization_not_found-or-member_not_found'];
export type ResponseCsrfFailedOrInsufficientScopeOrSessionRequiredOrOrganizationRequiredOrOrganizationSuspended = components['responses']['csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended'];
export type ResponseDatabaseNotFoundOrOrganizationNotFoundOrMemberNotFound = components['responses']['database_not_found-or-organization_not_found-or-member_not_found'];
export type ResponseLastOwner = components['responses']['last_owner'];
export type ResponseCsrfFailedOrInsufficientScopeOrSessionRequiredOrOrganizationRequired = components['responses']['csrf_failed-or-insufficient_scope-or-session_required-or-organization_required'];
export type ResponseMemberNotFoundOrOrganizationNotFound = components['responses']['member_not_found-or-organization_not_found'];
export type ResponseLastOwnerOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['last_owner-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseDatabaseNotFoundOrOrganizationNotFound = components['responses']['database_not_found-or-organization_not_found'];
export type ResponseAlreadyMemberOrInvitationExistsOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['already_member-or-invitation_exists-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseOrganizationNotFoundOrInvitationNotFound = components['responses']['organization_not_found-or-invitation_not_found'];
export type ResponseInvitationNotFoundOrOrganizationNotFound = components['responses']['invitation_not_found-or-organization_not_found'];
export type ResponseAlreadyMemberOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['already_member-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseQuotaExceededOrCsrfFailedOrInsufficientScopeOrSessionRequiredOrOrganizationRequiredOrOrganizationSuspended = components['responses']['quota_exceeded-or-csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended'];
export type ResponseOrganizationNotFoundOrApiKeyNotFound = components['responses']['organization_not_found-or-api_key_not_found'];
export type ResponseApiKeyNotActiveOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['api_key_not_active-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseOrganizationNotFoundOrWebhookEndpointNotFound = components['responses']['organization_not_found-or-webhook_endpoint_not_found'];
export type ResponseDatabaseNotFoundOrOrganizationNotFoundOrWebhookEndpointNotFound = components['responses']['database_not_found-or-organization_not_found-or-webhook_endpoint_not_found'];
export type ResponseBillingNotUsed = components['responses']['billing_not_used'];
export type ResponseBillingNotUsedOrIdempotencyInProgressOrIdempotencyAnswerLost = components['responses']['billing_not_used-or-idempotency_in_progress-or-idempotency_answer_lost'];
export type ResponseNotFound = components['responses']['not_found'];
export type HeaderXRequestId = components['headers']['X-Request-Id'];
export type HeaderETag = components['headers']['ETag'];
export type HeaderLocation = components['headers']['Location'];
export type HeaderLink = components['headers']['Link'];
export type HeaderRetryAfter = components['headers']['Retry-After'];
export type HeaderRateLimitPolicy = components['headers']['RateLimit-Policy'];
export type HeaderRateLimit = components['headers']['RateLimit'];
export type HeaderIdempotentReplayed = components['headers']['Idempotent-Replayed'];
export type HeaderAccept = components['headers']['Accept'];
export type HeaderAcceptEncoding = components['headers']['Accept-Encoding'];
export type HeaderSetCookie = components['headers']['Set-Cookie'];
export type HeaderServerTiming = components['headers']['Server-Timing'];
export type HeaderPageHasMore = components['headers']['Page-Has-More'];
export type HeaderPageNext = components['headers']['Page-Next'];
export type HeaderNextCursor = components['headers']['Next-Cursor'];
export type HeaderWwwAuthenticate = components['headers']['WWW-Authenticate'];
export type $defs = Record<string, never>;
export interface operations {
    readonly getHealth: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The health. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "DEGRADED",
                     *       "components": [
                     *         {
                     *           "name": "store",
                     *           "status": "OK",
                     *           "message": null,
                     *           "lastSeenAt": null
                     *         },
                     *         {
                     *           "name": "cluster",
                     *           "status": "OK",
                     *           "message": null,
                     *           "lastSeenAt": null
                     *         },
                     *         {
                     *           "name": "operator",
                     *           "status": "OK",
                     *           "message": null,
                     *           "lastSeenAt": null
                     *         },
                     *         {
                     *           "name": "worker",
                     *           "status": "DOWN",
                     *           "message": "No worker runs: requests are answered, but jobs, mail and billing wait, and the health of databases is not known.",
                     *           "lastSeenAt": "2026-11-21T02:03:04.567Z"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ServiceHealth"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly getOpenapiDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The ETag that is known. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OpenAPI 3.1. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.1"
                     *     }
                     */
                    readonly "application/json": {
                        readonly openapi: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                };
            };
            /** @description As If-None-Match says. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly getCreateCatalog: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The ETag that is known. */
                readonly "If-None-Match"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The catalog. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "5f0c2d1e.1",
                     *       "currency": "USD",
                     *       "storageUnit": "GiB",
                     *       "defaults": {
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "engine": "Builtin"
                     *       },
                     *       "providers": [
                     *         {
                     *           "id": "local",
                     *           "name": "This cluster",
                     *           "available": true,
                     *           "provisioning": "AUTOMATIC"
                     *         }
                     *       ],
                     *       "regions": [
                     *         {
                     *           "id": "local-1",
                     *           "providerId": "local",
                     *           "name": "Local 1",
                     *           "available": true
                     *         }
                     *       ],
                     *       "clusterConfigurations": [
                     *         {
                     *           "id": "single",
                     *           "name": "Single node",
                     *           "replicas": 1,
                     *           "highAvailability": false,
                     *           "toleratedFailures": 0,
                     *           "recommendedForProduction": false,
                     *           "engines": [
                     *             "Builtin",
                     *             "TigerBeetle"
                     *           ]
                     *         },
                     *         {
                     *           "id": "ha-3",
                     *           "name": "HA, 3 replicas",
                     *           "replicas": 3,
                     *           "highAvailability": true,
                     *           "toleratedFailures": 1,
                     *           "recommendedForProduction": false,
                     *           "engines": [
                     *             "Builtin",
                     *             "TigerBeetle"
                     *           ]
                     *         }
                     *       ],
                     *       "clusterSizes": [
                     *         {
                     *           "id": "lh-10",
                     *           "number": 10,
                     *           "cpuMillis": 500,
                     *           "memoryBytes": 2147483648,
                     *           "logMember": {
                     *             "cpuMillis": 100,
                     *             "memoryBytes": 536870912
                     *           },
                     *           "transfersMax": 7900000,
                     *           "engines": [
                     *             "Builtin"
                     *           ],
                     *           "available": true
                     *         }
                     *       ],
                     *       "storageTiers": [
                     *         {
                     *           "id": "network-ssd",
                     *           "name": "Network SSD",
                     *           "minGb": 1,
                     *           "maxGb": 16384,
                     *           "stepGb": 1,
                     *           "growable": true
                     *         },
                     *         {
                     *           "id": "local-nvme",
                     *           "name": "Local NVMe",
                     *           "minGb": 1,
                     *           "maxGb": 16384,
                     *           "stepGb": 1,
                     *           "growable": false
                     *         }
                     *       ],
                     *       "storageCapabilities": [
                     *         {
                     *           "id": "local-nvme.single",
                     *           "storageTierId": "local-nvme",
                     *           "clusterConfigurationId": "single",
                     *           "supported": false,
                     *           "reason": "a local volume is lost with its node, so it needs at least 3 replicas"
                     *         },
                     *         {
                     *           "id": "network-ssd.single",
                     *           "storageTierId": "network-ssd",
                     *           "clusterConfigurationId": "single",
                     *           "supported": true,
                     *           "reason": null
                     *         }
                     *       ],
                     *       "engines": [
                     *         {
                     *           "name": "Builtin",
                     *           "defaultVersion": "0.1.0",
                     *           "versions": [
                     *             {
                     *               "version": "0.1.0",
                     *               "release": "0.17.9",
                     *               "oldestClient": "0.16.4",
                     *               "deprecated": false
                     *             }
                     *           ],
                     *           "parameters": [
                     *             {
                     *               "name": "limitConnections",
                     *               "type": "integer",
                     *               "minimum": 1,
                     *               "maximum": 65535,
                     *               "default": null,
                     *               "description": "Client connections at a time; 256 when absent."
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "prices": {
                     *         "sizes": [
                     *           {
                     *             "clusterSizeId": "lh-10",
                     *             "perReplicaMonthly": "10.00",
                     *             "perLogMemberMonthly": "2.50"
                     *           }
                     *         ],
                     *         "storage": [
                     *           {
                     *             "storageTierId": "network-ssd",
                     *             "perGbReplicaMonthly": "0.1250"
                     *           }
                     *         ]
                     *       },
                     *       "import": {
                     *         "supported": false
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CreateCatalog"];
                };
            };
            /** @description As If-None-Match says. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly listDatabases: {
        readonly parameters: {
            readonly query?: {
                /** @description Rows at most. */
                readonly limit?: number;
                /** @description `page.nextCursor` of the page before; good for 24 hours. */
                readonly cursor?: string;
                readonly sort?: "createdAt" | "-createdAt" | "name";
                /** @description One or several, with commas. */
                readonly status?: readonly ("PROVISIONING" | "READY" | "SUSPENDED" | "FAILED" | "DELETING" | "DELETED")[];
                readonly provider?: string;
                readonly region?: string;
                /** @description Exactly this name. */
                readonly name?: string;
                /** @description Part of the name. */
                readonly q?: string;
                /** @description `key`, whatever its value, or `key=value`; several with commas, all of which must be there. */
                readonly label?: readonly string[];
                /** @description Those that can be restored, too. A `status` of DELETING or DELETED includes them anyway. */
                readonly includeDeleted?: boolean;
            };
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of databases. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "name": "payments-prod",
                     *           "clusterId": "126385720930470432897564901432759016843",
                     *           "mode": "new",
                     *           "status": "READY",
                     *           "statusReason": null,
                     *           "health": "HEALTHY",
                     *           "provider": "local",
                     *           "region": "local-1",
                     *           "clusterConfiguration": "single",
                     *           "clusterSize": "lh-10",
                     *           "storageTier": "network-ssd",
                     *           "selectedStorageGb": 20,
                     *           "nodeCount": 1,
                     *           "nodes": [
                     *             {
                     *               "index": 0,
                     *               "ready": true,
                     *               "status": "Ready"
                     *             }
                     *           ],
                     *           "engine": {
                     *             "name": "Builtin",
                     *             "version": "0.1.0",
                     *             "latestVersion": "0.1.0",
                     *             "updateAvailable": false
                     *           },
                     *           "gateway": {
                     *             "status": "CONNECTED",
                     *             "checkedAt": "2026-11-21T02:03:04.567Z",
                     *             "latencyMs": 1.8,
                     *             "lastError": null
                     *           },
                     *           "connection": {
                     *             "identifier": "payments-prod",
                     *             "httpUrl": "http://localhost:8080/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0/tb",
                     *             "addresses": [
                     *               "10.43.0.12:3001"
                     *             ],
                     *             "clusterId": "126385720930470432897564901432759016843"
                     *           },
                     *           "estimatedMonthlyPrice": {
                     *             "currency": "USD",
                     *             "amount": "12.50",
                     *             "lines": [
                     *               {
                     *                 "item": "1 × lh-10",
                     *                 "amount": "10.00"
                     *               },
                     *               {
                     *                 "item": "1 × 20 GB network-ssd",
                     *                 "amount": "2.50"
                     *               }
                     *             ]
                     *           },
                     *           "limits": {
                     *             "maxEventsPerBatch": 8189,
                     *             "maxResults": 8189,
                     *             "maxRequestBytes": 8388608
                     *           },
                     *           "deletionProtection": false,
                     *           "labels": {
                     *             "team": "payments"
                     *           },
                     *           "activeProfileId": "prf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "activeJobId": null,
                     *           "version": 3,
                     *           "createdAt": "2026-11-21T02:03:04.567Z",
                     *           "createdBy": {
                     *             "type": "api_key",
                     *             "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *             "display": "ci"
                     *           },
                     *           "updatedAt": "2026-11-21T02:03:04.567Z",
                     *           "readyAt": "2026-11-21T02:03:04.567Z",
                     *           "deletedAt": null,
                     *           "purgeAt": null
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 50,
                     *         "nextCursor": null,
                     *         "hasMore": false
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DatabaseList"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-invalid_cursor-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly createDatabase: {
        readonly parameters: {
            readonly query?: {
                /** @description Check and resolve only. */
                readonly dryRun?: boolean;
            };
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateDatabaseRequest"];
            };
        };
        readonly responses: {
            /** @description The dry run: what would be made. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "dryRun": true,
                     *       "plan": {
                     *         "name": "payments-prod",
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "engine": "Builtin",
                     *         "engineVersion": "0.1.0",
                     *         "parameters": {},
                     *         "nodeCount": 1,
                     *         "deletionProtection": false,
                     *         "estimatedMonthlyPrice": {
                     *           "currency": "USD",
                     *           "amount": "12.50",
                     *           "lines": [
                     *             {
                     *               "item": "1 × lh-10",
                     *               "amount": "10.00"
                     *             },
                     *             {
                     *               "item": "1 × 20 GB network-ssd",
                     *               "amount": "2.50"
                     *             }
                     *           ]
                     *         },
                     *         "catalogVersion": "5f0c2d1e.1"
                     *       },
                     *       "billing": {
                     *         "ready": true,
                     *         "reason": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DatabasePlan"];
                };
            };
            /** @description It is queued. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly Location: components["headers"]["Location"];
                    readonly Link: components["headers"]["Link"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "database": {
                     *         "id": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "payments-prod",
                     *         "clusterId": null,
                     *         "mode": "new",
                     *         "status": "PROVISIONING",
                     *         "statusReason": null,
                     *         "health": "UNKNOWN",
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "nodeCount": 1,
                     *         "nodes": [],
                     *         "engine": {
                     *           "name": "Builtin",
                     *           "version": "0.1.0",
                     *           "latestVersion": "0.1.0",
                     *           "updateAvailable": false
                     *         },
                     *         "gateway": {
                     *           "status": "UNKNOWN",
                     *           "checkedAt": null,
                     *           "latencyMs": null,
                     *           "lastError": null
                     *         },
                     *         "connection": {
                     *           "identifier": "payments-prod",
                     *           "httpUrl": "http://localhost:8080/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0/tb",
                     *           "addresses": [],
                     *           "clusterId": null
                     *         },
                     *         "estimatedMonthlyPrice": {
                     *           "currency": "USD",
                     *           "amount": "12.50",
                     *           "lines": [
                     *             {
                     *               "item": "1 × lh-10",
                     *               "amount": "10.00"
                     *             },
                     *             {
                     *               "item": "1 × 20 GB network-ssd",
                     *               "amount": "2.50"
                     *             }
                     *           ]
                     *         },
                     *         "limits": {
                     *           "maxEventsPerBatch": 8189,
                     *           "maxResults": 8189,
                     *           "maxRequestBytes": 8388608
                     *         },
                     *         "deletionProtection": false,
                     *         "labels": {
                     *           "team": "payments"
                     *         },
                     *         "activeProfileId": "prf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "activeJobId": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "version": 1,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "createdBy": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "updatedAt": "2026-11-21T02:03:04.567Z",
                     *         "readyAt": null,
                     *         "deletedAt": null,
                     *         "purgeAt": null
                     *       },
                     *       "profile": {
                     *         "id": "prf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "revision": 1,
                     *         "active": true,
                     *         "status": "PROVISIONING",
                     *         "health": "UNKNOWN",
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "parameters": {},
                     *         "engine": "Builtin",
                     *         "engineVersion": "0.1.0",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "readyAt": null
                     *       },
                     *       "job": {
                     *         "id": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "type": "database.create",
                     *         "status": "RUNNING",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "progress": {
                     *           "percent": 50,
                     *           "message": "Starting the replicas.",
                     *           "estimatedSecondsRemaining": 20
                     *         },
                     *         "steps": [
                     *           {
                     *             "name": "create_resource",
                     *             "status": "SUCCEEDED",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": "2026-11-21T02:03:04.567Z"
                     *           },
                     *           {
                     *             "name": "start_replicas",
                     *             "status": "RUNNING",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": null
                     *           }
                     *         ],
                     *         "attempt": 1,
                     *         "maxAttempts": 3,
                     *         "deadlineAt": "2026-11-21T02:33:04.567Z",
                     *         "cancellable": true,
                     *         "retryable": false,
                     *         "error": null,
                     *         "actor": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "startedAt": "2026-11-21T02:03:04.567Z",
                     *         "finishedAt": null,
                     *         "links": {
                     *           "self": "/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "database": "/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *         }
                     *       },
                     *       "provisioning": {
                     *         "status": "QUEUED",
                     *         "started": true,
                     *         "message": "Provisioning is queued. It usually takes less than a minute.",
                     *         "estimatedSeconds": 60
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CreatedDatabase"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 402: components["responses"]["billing_required"];
            readonly 403: components["responses"]["provisioning_not_permitted-or-quota_exceeded-or-csrf_failed-or-insufficient_scope-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 409: components["responses"]["database_name_taken-or-catalog_changed-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["catalog_choice_unavailable-or-storage_unavailable_for_topology-or-validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 501: components["responses"]["provisioning_not_supported"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly getDatabase: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The ETag that is known. */
                readonly "If-None-Match"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The database. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "database": {
                     *         "id": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "payments-prod",
                     *         "clusterId": "126385720930470432897564901432759016843",
                     *         "mode": "new",
                     *         "status": "READY",
                     *         "statusReason": null,
                     *         "health": "HEALTHY",
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "nodeCount": 1,
                     *         "nodes": [
                     *           {
                     *             "index": 0,
                     *             "ready": true,
                     *             "status": "Ready"
                     *           }
                     *         ],
                     *         "engine": {
                     *           "name": "Builtin",
                     *           "version": "0.1.0",
                     *           "latestVersion": "0.1.0",
                     *           "updateAvailable": false
                     *         },
                     *         "gateway": {
                     *           "status": "CONNECTED",
                     *           "checkedAt": "2026-11-21T02:03:04.567Z",
                     *           "latencyMs": 1.8,
                     *           "lastError": null
                     *         },
                     *         "connection": {
                     *           "identifier": "payments-prod",
                     *           "httpUrl": "http://localhost:8080/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0/tb",
                     *           "addresses": [
                     *             "10.43.0.12:3001"
                     *           ],
                     *           "clusterId": "126385720930470432897564901432759016843"
                     *         },
                     *         "estimatedMonthlyPrice": {
                     *           "currency": "USD",
                     *           "amount": "12.50",
                     *           "lines": [
                     *             {
                     *               "item": "1 × lh-10",
                     *               "amount": "10.00"
                     *             },
                     *             {
                     *               "item": "1 × 20 GB network-ssd",
                     *               "amount": "2.50"
                     *             }
                     *           ]
                     *         },
                     *         "limits": {
                     *           "maxEventsPerBatch": 8189,
                     *           "maxResults": 8189,
                     *           "maxRequestBytes": 8388608
                     *         },
                     *         "deletionProtection": false,
                     *         "labels": {
                     *           "team": "payments"
                     *         },
                     *         "activeProfileId": "prf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "activeJobId": null,
                     *         "version": 3,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "createdBy": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "updatedAt": "2026-11-21T02:03:04.567Z",
                     *         "readyAt": "2026-11-21T02:03:04.567Z",
                     *         "deletedAt": null,
                     *         "purgeAt": null
                     *       },
                     *       "profile": {
                     *         "id": "prf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "revision": 1,
                     *         "active": true,
                     *         "status": "READY",
                     *         "health": "HEALTHY",
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "parameters": {},
                     *         "engine": "Builtin",
                     *         "engineVersion": "0.1.0",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "readyAt": "2026-11-21T02:03:04.567Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DatabaseWithProfile"];
                };
            };
            /** @description As If-None-Match says. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly deleteDatabase: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The ETag that is to be changed. */
                readonly "If-Match"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is being deleted. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly Location: components["headers"]["Location"];
                    readonly Link: components["headers"]["Link"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "database": {
                     *         "id": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "payments-prod",
                     *         "clusterId": "126385720930470432897564901432759016843",
                     *         "mode": "new",
                     *         "status": "DELETING",
                     *         "statusReason": null,
                     *         "health": "HEALTHY",
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "nodeCount": 1,
                     *         "nodes": [
                     *           {
                     *             "index": 0,
                     *             "ready": true,
                     *             "status": "Ready"
                     *           }
                     *         ],
                     *         "engine": {
                     *           "name": "Builtin",
                     *           "version": "0.1.0",
                     *           "latestVersion": "0.1.0",
                     *           "updateAvailable": false
                     *         },
                     *         "gateway": {
                     *           "status": "CONNECTED",
                     *           "checkedAt": "2026-11-21T02:03:04.567Z",
                     *           "latencyMs": 1.8,
                     *           "lastError": null
                     *         },
                     *         "connection": {
                     *           "identifier": "payments-prod",
                     *           "httpUrl": "http://localhost:8080/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0/tb",
                     *           "addresses": [
                     *             "10.43.0.12:3001"
                     *           ],
                     *           "clusterId": "126385720930470432897564901432759016843"
                     *         },
                     *         "estimatedMonthlyPrice": {
                     *           "currency": "USD",
                     *           "amount": "12.50",
                     *           "lines": [
                     *             {
                     *               "item": "1 × lh-10",
                     *               "amount": "10.00"
                     *             },
                     *             {
                     *               "item": "1 × 20 GB network-ssd",
                     *               "amount": "2.50"
                     *             }
                     *           ]
                     *         },
                     *         "limits": {
                     *           "maxEventsPerBatch": 8189,
                     *           "maxResults": 8189,
                     *           "maxRequestBytes": 8388608
                     *         },
                     *         "deletionProtection": false,
                     *         "labels": {
                     *           "team": "payments"
                     *         },
                     *         "activeProfileId": "prf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "activeJobId": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "version": 3,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "createdBy": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "updatedAt": "2026-11-21T02:03:04.567Z",
                     *         "readyAt": "2026-11-21T02:03:04.567Z",
                     *         "deletedAt": "2026-11-21T02:03:04.567Z",
                     *         "purgeAt": "2026-11-28T02:03:04.567Z"
                     *       },
                     *       "profile": {
                     *         "id": "prf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "revision": 1,
                     *         "active": true,
                     *         "status": "DELETING",
                     *         "health": "HEALTHY",
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "parameters": {},
                     *         "engine": "Builtin",
                     *         "engineVersion": "0.1.0",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "readyAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "job": {
                     *         "id": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "type": "database.delete",
                     *         "status": "RUNNING",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "progress": {
                     *           "percent": 50,
                     *           "message": "Starting the replicas.",
                     *           "estimatedSecondsRemaining": 20
                     *         },
                     *         "steps": [
                     *           {
                     *             "name": "create_resource",
                     *             "status": "SUCCEEDED",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": "2026-11-21T02:03:04.567Z"
                     *           },
                     *           {
                     *             "name": "start_replicas",
                     *             "status": "RUNNING",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": null
                     *           }
                     *         ],
                     *         "attempt": 1,
                     *         "maxAttempts": 3,
                     *         "deadlineAt": "2026-11-21T02:33:04.567Z",
                     *         "cancellable": true,
                     *         "retryable": false,
                     *         "error": null,
                     *         "actor": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "startedAt": "2026-11-21T02:03:04.567Z",
                     *         "finishedAt": null,
                     *         "links": {
                     *           "self": "/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "database": "/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DatabaseWithJob"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 409: components["responses"]["deletion_protected-or-operation_in_progress"];
            readonly 412: components["responses"]["precondition_failed"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly updateDatabase: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The ETag that is to be changed. */
                readonly "If-Match"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateDatabaseRequest"];
            };
        };
        readonly responses: {
            /** @description It is changed. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "database": {
                     *         "id": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "payments-prod",
                     *         "clusterId": "126385720930470432897564901432759016843",
                     *         "mode": "new",
                     *         "status": "READY",
                     *         "statusReason": null,
                     *         "health": "HEALTHY",
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "nodeCount": 1,
                     *         "nodes": [
                     *           {
                     *             "index": 0,
                     *             "ready": true,
                     *             "status": "Ready"
                     *           }
                     *         ],
                     *         "engine": {
                     *           "name": "Builtin",
                     *           "version": "0.1.0",
                     *           "latestVersion": "0.1.0",
                     *           "updateAvailable": false
                     *         },
                     *         "gateway": {
                     *           "status": "CONNECTED",
                     *           "checkedAt": "2026-11-21T02:03:04.567Z",
                     *           "latencyMs": 1.8,
                     *           "lastError": null
                     *         },
                     *         "connection": {
                     *           "identifier": "payments-prod",
                     *           "httpUrl": "http://localhost:8080/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0/tb",
                     *           "addresses": [
                     *             "10.43.0.12:3001"
                     *           ],
                     *           "clusterId": "126385720930470432897564901432759016843"
                     *         },
                     *         "estimatedMonthlyPrice": {
                     *           "currency": "USD",
                     *           "amount": "12.50",
                     *           "lines": [
                     *             {
                     *               "item": "1 × lh-10",
                     *               "amount": "10.00"
                     *             },
                     *             {
                     *               "item": "1 × 20 GB network-ssd",
                     *               "amount": "2.50"
                     *             }
                     *           ]
                     *         },
                     *         "limits": {
                     *           "maxEventsPerBatch": 8189,
                     *           "maxResults": 8189,
                     *           "maxRequestBytes": 8388608
                     *         },
                     *         "deletionProtection": false,
                     *         "labels": {
                     *           "team": "payments"
                     *         },
                     *         "activeProfileId": "prf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "activeJobId": null,
                     *         "version": 3,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "createdBy": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "updatedAt": "2026-11-21T02:03:04.567Z",
                     *         "readyAt": "2026-11-21T02:03:04.567Z",
                     *         "deletedAt": null,
                     *         "purgeAt": null
                     *       },
                     *       "profile": {
                     *         "id": "prf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "revision": 1,
                     *         "active": true,
                     *         "status": "READY",
                     *         "health": "HEALTHY",
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "parameters": {},
                     *         "engine": "Builtin",
                     *         "engineVersion": "0.1.0",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "readyAt": "2026-11-21T02:03:04.567Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedDatabase"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 409: components["responses"]["database_not_ready"];
            readonly 412: components["responses"]["precondition_failed"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly restoreDatabase: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["RestoreDatabaseRequest"];
            };
        };
        readonly responses: {
            /** @description It is being restored. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly Location: components["headers"]["Location"];
                    readonly Link: components["headers"]["Link"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "database": {
                     *         "id": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "payments-prod",
                     *         "clusterId": null,
                     *         "mode": "new",
                     *         "status": "PROVISIONING",
                     *         "statusReason": null,
                     *         "health": "UNKNOWN",
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "nodeCount": 1,
                     *         "nodes": [],
                     *         "engine": {
                     *           "name": "Builtin",
                     *           "version": "0.1.0",
                     *           "latestVersion": "0.1.0",
                     *           "updateAvailable": false
                     *         },
                     *         "gateway": {
                     *           "status": "UNKNOWN",
                     *           "checkedAt": null,
                     *           "latencyMs": null,
                     *           "lastError": null
                     *         },
                     *         "connection": {
                     *           "identifier": "payments-prod",
                     *           "httpUrl": "http://localhost:8080/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0/tb",
                     *           "addresses": [],
                     *           "clusterId": null
                     *         },
                     *         "estimatedMonthlyPrice": {
                     *           "currency": "USD",
                     *           "amount": "12.50",
                     *           "lines": [
                     *             {
                     *               "item": "1 × lh-10",
                     *               "amount": "10.00"
                     *             },
                     *             {
                     *               "item": "1 × 20 GB network-ssd",
                     *               "amount": "2.50"
                     *             }
                     *           ]
                     *         },
                     *         "limits": {
                     *           "maxEventsPerBatch": 8189,
                     *           "maxResults": 8189,
                     *           "maxRequestBytes": 8388608
                     *         },
                     *         "deletionProtection": false,
                     *         "labels": {
                     *           "team": "payments"
                     *         },
                     *         "activeProfileId": "prf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "activeJobId": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "version": 1,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "createdBy": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "updatedAt": "2026-11-21T02:03:04.567Z",
                     *         "readyAt": null,
                     *         "deletedAt": null,
                     *         "purgeAt": null
                     *       },
                     *       "profile": {
                     *         "id": "prf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "revision": 1,
                     *         "active": true,
                     *         "status": "PROVISIONING",
                     *         "health": "UNKNOWN",
                     *         "provider": "local",
                     *         "region": "local-1",
                     *         "clusterConfiguration": "single",
                     *         "clusterSize": "lh-10",
                     *         "storageTier": "network-ssd",
                     *         "selectedStorageGb": 20,
                     *         "parameters": {},
                     *         "engine": "Builtin",
                     *         "engineVersion": "0.1.0",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "readyAt": null
                     *       },
                     *       "job": {
                     *         "id": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "type": "database.restore_deleted",
                     *         "status": "RUNNING",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "progress": {
                     *           "percent": 50,
                     *           "message": "Starting the replicas.",
                     *           "estimatedSecondsRemaining": 20
                     *         },
                     *         "steps": [
                     *           {
                     *             "name": "create_resource",
                     *             "status": "SUCCEEDED",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": "2026-11-21T02:03:04.567Z"
                     *           },
                     *           {
                     *             "name": "start_replicas",
                     *             "status": "RUNNING",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": null
                     *           }
                     *         ],
                     *         "attempt": 1,
                     *         "maxAttempts": 3,
                     *         "deadlineAt": "2026-11-21T02:33:04.567Z",
                     *         "cancellable": true,
                     *         "retryable": false,
                     *         "error": null,
                     *         "actor": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "startedAt": "2026-11-21T02:03:04.567Z",
                     *         "finishedAt": null,
                     *         "links": {
                     *           "self": "/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "database": "/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DatabaseWithJob"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["quota_exceeded-or-csrf_failed-or-insufficient_scope-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 409: components["responses"]["database_name_taken-or-database_not_deleted-or-operation_in_progress-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 410: components["responses"]["database_purged"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly listDatabaseJobs: {
        readonly parameters: {
            readonly query?: {
                /** @description Rows at most. */
                readonly limit?: number;
                /** @description `page.nextCursor` of the page before; good for 24 hours. */
                readonly cursor?: string;
                /** @description One or several, with commas. */
                readonly status?: readonly ("QUEUED" | "RUNNING" | "WAITING" | "CANCELING" | "SUCCEEDED" | "FAILED" | "CANCELED")[];
            };
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of jobs. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "type": "database.create",
                     *           "status": "RUNNING",
                     *           "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "progress": {
                     *             "percent": 50,
                     *             "message": "Starting the replicas.",
                     *             "estimatedSecondsRemaining": 20
                     *           },
                     *           "steps": [
                     *             {
                     *               "name": "create_resource",
                     *               "status": "SUCCEEDED",
                     *               "startedAt": "2026-11-21T02:03:04.567Z",
                     *               "finishedAt": "2026-11-21T02:03:04.567Z"
                     *             },
                     *             {
                     *               "name": "start_replicas",
                     *               "status": "RUNNING",
                     *               "startedAt": "2026-11-21T02:03:04.567Z",
                     *               "finishedAt": null
                     *             }
                     *           ],
                     *           "attempt": 1,
                     *           "maxAttempts": 3,
                     *           "deadlineAt": "2026-11-21T02:33:04.567Z",
                     *           "cancellable": true,
                     *           "retryable": false,
                     *           "error": null,
                     *           "actor": {
                     *             "type": "api_key",
                     *             "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *             "display": "ci"
                     *           },
                     *           "createdAt": "2026-11-21T02:03:04.567Z",
                     *           "startedAt": "2026-11-21T02:03:04.567Z",
                     *           "finishedAt": null,
                     *           "links": {
                     *             "self": "/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *             "database": "/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *           }
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 50,
                     *         "nextCursor": null,
                     *         "hasMore": false
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["JobList"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-invalid_cursor-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly getJob: {
        readonly parameters: {
            readonly query?: {
                readonly waitSeconds?: number;
            };
            readonly header?: {
                /** @description The ETag that is known. */
                readonly "If-None-Match"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the job.
                 * @example job_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly jobId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The job. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "job": {
                     *         "id": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "type": "database.create",
                     *         "status": "RUNNING",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "progress": {
                     *           "percent": 50,
                     *           "message": "Starting the replicas.",
                     *           "estimatedSecondsRemaining": 20
                     *         },
                     *         "steps": [
                     *           {
                     *             "name": "create_resource",
                     *             "status": "SUCCEEDED",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": "2026-11-21T02:03:04.567Z"
                     *           },
                     *           {
                     *             "name": "start_replicas",
                     *             "status": "RUNNING",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": null
                     *           }
                     *         ],
                     *         "attempt": 1,
                     *         "maxAttempts": 3,
                     *         "deadlineAt": "2026-11-21T02:33:04.567Z",
                     *         "cancellable": true,
                     *         "retryable": false,
                     *         "error": null,
                     *         "actor": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "startedAt": "2026-11-21T02:03:04.567Z",
                     *         "finishedAt": null,
                     *         "links": {
                     *           "self": "/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "database": "/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["JobAnswer"];
                };
            };
            /** @description As If-None-Match says. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["job_not_found-or-organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly streamJobEvents: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the job.
                 * @example job_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly jobId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The stream. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": {
                        readonly id: string;
                        readonly event: string;
                        readonly data: string;
                    };
                };
            };
            /** @description The job has ended, and `Last-Event-ID` is of its last event. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["job_not_found-or-organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly cancelJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the job.
                 * @example job_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly jobId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is being cancelled. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "job": {
                     *         "id": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "type": "database.create",
                     *         "status": "CANCELING",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "progress": {
                     *           "percent": 50,
                     *           "message": "Starting the replicas.",
                     *           "estimatedSecondsRemaining": 20
                     *         },
                     *         "steps": [
                     *           {
                     *             "name": "create_resource",
                     *             "status": "SUCCEEDED",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": "2026-11-21T02:03:04.567Z"
                     *           },
                     *           {
                     *             "name": "start_replicas",
                     *             "status": "RUNNING",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": null
                     *           }
                     *         ],
                     *         "attempt": 1,
                     *         "maxAttempts": 3,
                     *         "deadlineAt": "2026-11-21T02:33:04.567Z",
                     *         "cancellable": false,
                     *         "retryable": false,
                     *         "error": null,
                     *         "actor": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "startedAt": "2026-11-21T02:03:04.567Z",
                     *         "finishedAt": null,
                     *         "links": {
                     *           "self": "/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "database": "/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedJob"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["job_not_found-or-organization_not_found"];
            readonly 409: components["responses"]["not_cancellable-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 422: components["responses"]["idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly retryJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the job.
                 * @example job_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly jobId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is queued again. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "job": {
                     *         "id": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "type": "database.create",
                     *         "status": "QUEUED",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "progress": {
                     *           "percent": 50,
                     *           "message": "Starting the replicas.",
                     *           "estimatedSecondsRemaining": 20
                     *         },
                     *         "steps": [
                     *           {
                     *             "name": "create_resource",
                     *             "status": "SUCCEEDED",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": "2026-11-21T02:03:04.567Z"
                     *           },
                     *           {
                     *             "name": "start_replicas",
                     *             "status": "RUNNING",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": null
                     *           }
                     *         ],
                     *         "attempt": 2,
                     *         "maxAttempts": 3,
                     *         "deadlineAt": "2026-11-21T02:33:04.567Z",
                     *         "cancellable": true,
                     *         "retryable": false,
                     *         "error": null,
                     *         "actor": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "startedAt": "2026-11-21T02:03:04.567Z",
                     *         "finishedAt": null,
                     *         "links": {
                     *           "self": "/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "database": "/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedJob"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["job_not_found-or-organization_not_found"];
            readonly 409: components["responses"]["not_retryable-or-operation_in_progress-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 422: components["responses"]["idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly completeJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the job.
                 * @example job_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly jobId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It goes on. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "job": {
                     *         "id": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "type": "database.create",
                     *         "status": "RUNNING",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "progress": {
                     *           "percent": 50,
                     *           "message": "Starting the replicas.",
                     *           "estimatedSecondsRemaining": 20
                     *         },
                     *         "steps": [
                     *           {
                     *             "name": "create_resource",
                     *             "status": "SUCCEEDED",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": "2026-11-21T02:03:04.567Z"
                     *           },
                     *           {
                     *             "name": "start_replicas",
                     *             "status": "RUNNING",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": null
                     *           }
                     *         ],
                     *         "attempt": 1,
                     *         "maxAttempts": 3,
                     *         "deadlineAt": "2026-11-21T02:33:04.567Z",
                     *         "cancellable": true,
                     *         "retryable": false,
                     *         "error": null,
                     *         "actor": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "startedAt": "2026-11-21T02:03:04.567Z",
                     *         "finishedAt": null,
                     *         "links": {
                     *           "self": "/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "database": "/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedJob"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["provisioning_not_permitted-or-csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["job_not_found-or-organization_not_found"];
            readonly 409: components["responses"]["not_waiting-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 422: components["responses"]["idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly refuseJob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the job.
                 * @example job_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly jobId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RefuseJobRequest"];
            };
        };
        readonly responses: {
            /** @description It is about to fail. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "job": {
                     *         "id": "job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "type": "database.create",
                     *         "status": "RUNNING",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "progress": {
                     *           "percent": 50,
                     *           "message": "Starting the replicas.",
                     *           "estimatedSecondsRemaining": 20
                     *         },
                     *         "steps": [
                     *           {
                     *             "name": "create_resource",
                     *             "status": "SUCCEEDED",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": "2026-11-21T02:03:04.567Z"
                     *           },
                     *           {
                     *             "name": "start_replicas",
                     *             "status": "RUNNING",
                     *             "startedAt": "2026-11-21T02:03:04.567Z",
                     *             "finishedAt": null
                     *           }
                     *         ],
                     *         "attempt": 1,
                     *         "maxAttempts": 3,
                     *         "deadlineAt": "2026-11-21T02:33:04.567Z",
                     *         "cancellable": true,
                     *         "retryable": false,
                     *         "error": null,
                     *         "actor": {
                     *           "type": "api_key",
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "display": "ci"
                     *         },
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "startedAt": "2026-11-21T02:03:04.567Z",
                     *         "finishedAt": null,
                     *         "links": {
                     *           "self": "/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "database": "/api/v1/databases/db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedJob"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["provisioning_not_permitted-or-csrf_failed-or-insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["job_not_found-or-organization_not_found"];
            readonly 409: components["responses"]["not_waiting-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly createAccounts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `wait=N`: seconds that it may take, 1 to 30; 10 when absent. */
                readonly Prefer?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateAccountsRequest"];
            };
        };
        readonly responses: {
            /** @description What became of each. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Server-Timing": components["headers"]["Server-Timing"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "operation": "create_accounts",
                     *       "execution": {
                     *         "kind": "write",
                     *         "requestId": "req_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "clusterId": "126385720930470432897564901432759016843",
                     *         "engineVersion": "0.1.0",
                     *         "eventCount": 1,
                     *         "resultCount": 1,
                     *         "gatewayMs": 0.4,
                     *         "ledgerMs": 3.2,
                     *         "durationMs": 3.9,
                     *         "executedAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "documentationUrl": "https://docs.tigerbeetle.com/reference/requests/create_accounts",
                     *       "summary": {
                     *         "created": 1,
                     *         "exists": 0,
                     *         "failed": 0
                     *       },
                     *       "result": [
                     *         {
                     *           "index": 0,
                     *           "id": "1001",
                     *           "status": "created",
                     *           "timestamp": "1745328372758695656"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CreateAccountsAnswer"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-malformed_json-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 402: components["responses"]["billing_required"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 406: components["responses"]["not_acceptable"];
            readonly 409: components["responses"]["database_not_ready"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-invalid_integer-or-invalid_filter-or-batch_too_large"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 502: components["responses"]["gateway_bad_reply"];
            readonly 503: components["responses"]["service_unavailable-or-ledger_unavailable-or-ledger_full"];
            readonly 504: components["responses"]["ledger_timeout"];
        };
    };
    readonly createTransfers: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `wait=N`: seconds that it may take, 1 to 30; 10 when absent. */
                readonly Prefer?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateTransfersRequest"];
            };
        };
        readonly responses: {
            /** @description What became of each. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Server-Timing": components["headers"]["Server-Timing"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "operation": "create_transfers",
                     *       "execution": {
                     *         "kind": "write",
                     *         "requestId": "req_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "clusterId": "126385720930470432897564901432759016843",
                     *         "engineVersion": "0.1.0",
                     *         "eventCount": 1,
                     *         "resultCount": 1,
                     *         "gatewayMs": 0.4,
                     *         "ledgerMs": 3.2,
                     *         "durationMs": 3.9,
                     *         "executedAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "documentationUrl": "https://docs.tigerbeetle.com/reference/requests/create_transfers",
                     *       "summary": {
                     *         "created": 1,
                     *         "exists": 0,
                     *         "failed": 0
                     *       },
                     *       "result": [
                     *         {
                     *           "index": 0,
                     *           "id": "1001",
                     *           "status": "created",
                     *           "timestamp": "1745328372758695656"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CreateTransfersAnswer"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-malformed_json-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 402: components["responses"]["billing_required"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 406: components["responses"]["not_acceptable"];
            readonly 409: components["responses"]["database_not_ready"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-invalid_integer-or-invalid_filter-or-batch_too_large"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 502: components["responses"]["gateway_bad_reply"];
            readonly 503: components["responses"]["service_unavailable-or-ledger_unavailable-or-ledger_full"];
            readonly 504: components["responses"]["ledger_timeout"];
        };
    };
    readonly lookupAccounts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `wait=N`: seconds that it may take, 1 to 30; 10 when absent. */
                readonly Prefer?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["LookupRequest"];
            };
        };
        readonly responses: {
            /** @description Those that there are. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Server-Timing": components["headers"]["Server-Timing"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "operation": "lookup_accounts",
                     *       "execution": {
                     *         "kind": "read",
                     *         "requestId": "req_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "clusterId": "126385720930470432897564901432759016843",
                     *         "engineVersion": "0.1.0",
                     *         "eventCount": 1,
                     *         "resultCount": 1,
                     *         "gatewayMs": 0.4,
                     *         "ledgerMs": 3.2,
                     *         "durationMs": 3.9,
                     *         "executedAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "documentationUrl": "https://docs.tigerbeetle.com/reference/requests/lookup_accounts",
                     *       "missing": [],
                     *       "result": [
                     *         {
                     *           "id": "1001",
                     *           "debits_pending": "0",
                     *           "debits_posted": "10",
                     *           "credits_pending": "0",
                     *           "credits_posted": "0",
                     *           "user_data_128": "0",
                     *           "user_data_64": "0",
                     *           "user_data_32": 0,
                     *           "ledger": 1,
                     *           "code": 1,
                     *           "flags": 0,
                     *           "timestamp": "1745328372758695656"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LookupAccountsAnswer"];
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-malformed_json-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 402: components["responses"]["billing_required"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 406: components["responses"]["not_acceptable"];
            readonly 409: components["responses"]["database_not_ready"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-invalid_integer-or-invalid_filter-or-batch_too_large"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 502: components["responses"]["gateway_bad_reply"];
            readonly 503: components["responses"]["service_unavailable-or-ledger_unavailable-or-ledger_full"];
            readonly 504: components["responses"]["ledger_timeout"];
        };
    };
    readonly lookupTransfers: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `wait=N`: seconds that it may take, 1 to 30; 10 when absent. */
                readonly Prefer?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["LookupRequest"];
            };
        };
        readonly responses: {
            /** @description Those that there are. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Server-Timing": components["headers"]["Server-Timing"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "operation": "lookup_transfers",
                     *       "execution": {
                     *         "kind": "read",
                     *         "requestId": "req_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "clusterId": "126385720930470432897564901432759016843",
                     *         "engineVersion": "0.1.0",
                     *         "eventCount": 1,
                     *         "resultCount": 1,
                     *         "gatewayMs": 0.4,
                     *         "ledgerMs": 3.2,
                     *         "durationMs": 3.9,
                     *         "executedAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "documentationUrl": "https://docs.tigerbeetle.com/reference/requests/lookup_transfers",
                     *       "missing": [],
                     *       "result": [
                     *         {
                     *           "id": "5001",
                     *           "debit_account_id": "1001",
                     *           "credit_account_id": "1002",
                     *           "amount": "10",
                     *           "pending_id": "0",
                     *           "user_data_128": "0",
                     *           "user_data_64": "0",
                     *           "user_data_32": 0,
                     *           "timeout": 0,
                     *           "ledger": 1,
                     *           "code": 1,
                     *           "flags": 0,
                     *           "timestamp": "1745328372758695660"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LookupTransfersAnswer"];
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-malformed_json-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 402: components["responses"]["billing_required"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 406: components["responses"]["not_acceptable"];
            readonly 409: components["responses"]["database_not_ready"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-invalid_integer-or-invalid_filter-or-batch_too_large"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 502: components["responses"]["gateway_bad_reply"];
            readonly 503: components["responses"]["service_unavailable-or-ledger_unavailable-or-ledger_full"];
            readonly 504: components["responses"]["ledger_timeout"];
        };
    };
    readonly getAccountTransfers: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `wait=N`: seconds that it may take, 1 to 30; 10 when absent. */
                readonly Prefer?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AccountFilter"];
            };
        };
        readonly responses: {
            /** @description A page of transfers. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Server-Timing": components["headers"]["Server-Timing"];
                    readonly "Page-Has-More": components["headers"]["Page-Has-More"];
                    readonly "Page-Next": components["headers"]["Page-Next"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "operation": "get_account_transfers",
                     *       "execution": {
                     *         "kind": "read",
                     *         "requestId": "req_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "clusterId": "126385720930470432897564901432759016843",
                     *         "engineVersion": "0.1.0",
                     *         "eventCount": 1,
                     *         "resultCount": 1,
                     *         "gatewayMs": 0.4,
                     *         "ledgerMs": 3.2,
                     *         "durationMs": 3.9,
                     *         "executedAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "documentationUrl": "https://docs.tigerbeetle.com/reference/requests/get_account_transfers",
                     *       "page": {
                     *         "limit": 100,
                     *         "hasMore": false,
                     *         "next": null
                     *       },
                     *       "result": [
                     *         {
                     *           "id": "5001",
                     *           "debit_account_id": "1001",
                     *           "credit_account_id": "1002",
                     *           "amount": "10",
                     *           "pending_id": "0",
                     *           "user_data_128": "0",
                     *           "user_data_64": "0",
                     *           "user_data_32": 0,
                     *           "timeout": 0,
                     *           "ledger": 1,
                     *           "code": 1,
                     *           "flags": 0,
                     *           "timestamp": "1745328372758695660"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["GetAccountTransfersAnswer"];
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-malformed_json-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 402: components["responses"]["billing_required"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 406: components["responses"]["not_acceptable"];
            readonly 409: components["responses"]["database_not_ready"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-invalid_integer-or-invalid_filter-or-batch_too_large"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 502: components["responses"]["gateway_bad_reply"];
            readonly 503: components["responses"]["service_unavailable-or-ledger_unavailable-or-ledger_full"];
            readonly 504: components["responses"]["ledger_timeout"];
        };
    };
    readonly getAccountBalances: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `wait=N`: seconds that it may take, 1 to 30; 10 when absent. */
                readonly Prefer?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AccountFilter"];
            };
        };
        readonly responses: {
            /** @description A page of balances; of accounts with the flag history only. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Server-Timing": components["headers"]["Server-Timing"];
                    readonly "Page-Has-More": components["headers"]["Page-Has-More"];
                    readonly "Page-Next": components["headers"]["Page-Next"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "operation": "get_account_balances",
                     *       "execution": {
                     *         "kind": "read",
                     *         "requestId": "req_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "clusterId": "126385720930470432897564901432759016843",
                     *         "engineVersion": "0.1.0",
                     *         "eventCount": 1,
                     *         "resultCount": 1,
                     *         "gatewayMs": 0.4,
                     *         "ledgerMs": 3.2,
                     *         "durationMs": 3.9,
                     *         "executedAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "documentationUrl": "https://docs.tigerbeetle.com/reference/requests/get_account_balances",
                     *       "page": {
                     *         "limit": 100,
                     *         "hasMore": false,
                     *         "next": null
                     *       },
                     *       "result": [
                     *         {
                     *           "debits_pending": "0",
                     *           "debits_posted": "10",
                     *           "credits_pending": "0",
                     *           "credits_posted": "0",
                     *           "timestamp": "1745328372758695660"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["GetAccountBalancesAnswer"];
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-malformed_json-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 402: components["responses"]["billing_required"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 406: components["responses"]["not_acceptable"];
            readonly 409: components["responses"]["database_not_ready"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-invalid_integer-or-invalid_filter-or-batch_too_large"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 502: components["responses"]["gateway_bad_reply"];
            readonly 503: components["responses"]["service_unavailable-or-ledger_unavailable-or-ledger_full"];
            readonly 504: components["responses"]["ledger_timeout"];
        };
    };
    readonly queryAccounts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `wait=N`: seconds that it may take, 1 to 30; 10 when absent. */
                readonly Prefer?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["QueryFilter"];
            };
        };
        readonly responses: {
            /** @description A page of accounts. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Server-Timing": components["headers"]["Server-Timing"];
                    readonly "Page-Has-More": components["headers"]["Page-Has-More"];
                    readonly "Page-Next": components["headers"]["Page-Next"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "operation": "query_accounts",
                     *       "execution": {
                     *         "kind": "read",
                     *         "requestId": "req_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "clusterId": "126385720930470432897564901432759016843",
                     *         "engineVersion": "0.1.0",
                     *         "eventCount": 1,
                     *         "resultCount": 1,
                     *         "gatewayMs": 0.4,
                     *         "ledgerMs": 3.2,
                     *         "durationMs": 3.9,
                     *         "executedAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "documentationUrl": "https://docs.tigerbeetle.com/reference/requests/query_accounts",
                     *       "page": {
                     *         "limit": 100,
                     *         "hasMore": false,
                     *         "next": null
                     *       },
                     *       "result": [
                     *         {
                     *           "id": "1001",
                     *           "debits_pending": "0",
                     *           "debits_posted": "10",
                     *           "credits_pending": "0",
                     *           "credits_posted": "0",
                     *           "user_data_128": "0",
                     *           "user_data_64": "0",
                     *           "user_data_32": 0,
                     *           "ledger": 1,
                     *           "code": 1,
                     *           "flags": 0,
                     *           "timestamp": "1745328372758695656"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["QueryAccountsAnswer"];
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-malformed_json-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 402: components["responses"]["billing_required"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 406: components["responses"]["not_acceptable"];
            readonly 409: components["responses"]["database_not_ready"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-invalid_integer-or-invalid_filter-or-batch_too_large"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 502: components["responses"]["gateway_bad_reply"];
            readonly 503: components["responses"]["service_unavailable-or-ledger_unavailable-or-ledger_full"];
            readonly 504: components["responses"]["ledger_timeout"];
        };
    };
    readonly queryTransfers: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `wait=N`: seconds that it may take, 1 to 30; 10 when absent. */
                readonly Prefer?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the database.
                 * @example db_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly databaseId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["QueryFilter"];
            };
        };
        readonly responses: {
            /** @description A page of transfers. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Server-Timing": components["headers"]["Server-Timing"];
                    readonly "Page-Has-More": components["headers"]["Page-Has-More"];
                    readonly "Page-Next": components["headers"]["Page-Next"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "operation": "query_transfers",
                     *       "execution": {
                     *         "kind": "read",
                     *         "requestId": "req_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "clusterId": "126385720930470432897564901432759016843",
                     *         "engineVersion": "0.1.0",
                     *         "eventCount": 1,
                     *         "resultCount": 1,
                     *         "gatewayMs": 0.4,
                     *         "ledgerMs": 3.2,
                     *         "durationMs": 3.9,
                     *         "executedAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "documentationUrl": "https://docs.tigerbeetle.com/reference/requests/query_transfers",
                     *       "page": {
                     *         "limit": 100,
                     *         "hasMore": false,
                     *         "next": null
                     *       },
                     *       "result": [
                     *         {
                     *           "id": "5001",
                     *           "debit_account_id": "1001",
                     *           "credit_account_id": "1002",
                     *           "amount": "10",
                     *           "pending_id": "0",
                     *           "user_data_128": "0",
                     *           "user_data_64": "0",
                     *           "user_data_32": 0,
                     *           "timeout": 0,
                     *           "ledger": 1,
                     *           "code": 1,
                     *           "flags": 0,
                     *           "timestamp": "1745328372758695660"
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["QueryTransfersAnswer"];
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-malformed_json-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 402: components["responses"]["billing_required"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-database_not_found"];
            readonly 406: components["responses"]["not_acceptable"];
            readonly 409: components["responses"]["database_not_ready"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-invalid_integer-or-invalid_filter-or-batch_too_large"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 502: components["responses"]["gateway_bad_reply"];
            readonly 503: components["responses"]["service_unavailable-or-ledger_unavailable-or-ledger_full"];
            readonly 504: components["responses"]["ledger_timeout"];
        };
    };
    readonly getSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "authenticated": true,
                     *       "credential": {
                     *         "type": "api_key",
                     *         "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "ci",
                     *         "permissions": [
                     *           "db:read"
                     *         ],
                     *         "databaseScope": {
                     *           "type": "ALL"
                     *         },
                     *         "expiresAt": null
                     *       },
                     *       "user": null,
                     *       "organization": {
                     *         "id": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "Acme",
                     *         "slug": "acme",
                     *         "role": null,
                     *         "rights": []
                     *       },
                     *       "organizations": [],
                     *       "limits": {
                     *         "maxDatabases": 10,
                     *         "requestsPerMinute": 600
                     *       },
                     *       "serverTime": "2026-11-21T02:03:04.567Z",
                     *       "apiVersion": "v1"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly closeSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It has ended. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Set-Cookie": components["headers"]["Set-Cookie"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-session_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly openAdministratorSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["OpenAdministratorSessionRequest"];
            };
        };
        readonly responses: {
            /** @description It is open. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly "Set-Cookie": components["headers"]["Set-Cookie"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "csrfToken": "T0k3n",
                     *       "expiresAt": "2026-11-21T02:03:04.567Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["OpenedSession"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-malformed_json"];
            readonly 401: components["responses"]["invalid_credentials"];
            readonly 403: components["responses"]["csrf_failed"];
            readonly 409: components["responses"]["idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly listSessions: {
        readonly parameters: {
            readonly query?: {
                /** @description Rows at most. */
                readonly limit?: number;
                /** @description `page.nextCursor` of the page before; good for 24 hours. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of sessions. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "ses_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "kind": "device",
                     *           "current": true,
                     *           "ip": "192.0.2.10",
                     *           "userAgent": "ledgerhouse-cli/0.1.0",
                     *           "createdAt": "2026-11-21T02:03:04.567Z",
                     *           "lastUsedAt": "2026-11-21T02:03:04.567Z",
                     *           "expiresAt": "2026-11-21T02:03:04.567Z"
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 50,
                     *         "nextCursor": null,
                     *         "hasMore": false
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SessionList"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-invalid_cursor-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["session_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly endSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the session.
                 * @example ses_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly sessionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It has ended. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-session_required"];
            readonly 404: components["responses"]["organization_not_found-or-session_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly listOrganizations: {
        readonly parameters: {
            readonly query?: {
                /** @description Rows at most. */
                readonly limit?: number;
                /** @description `page.nextCursor` of the page before; good for 24 hours. */
                readonly cursor?: string;
                /** @description Deleted ones that can be restored, too; for the administrator of the installation. */
                readonly includeDeleted?: boolean;
            };
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of organizations. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "name": "Acme",
                     *           "slug": "acme",
                     *           "namespace": "org-acme",
                     *           "status": "ACTIVE",
                     *           "suspensionReason": null,
                     *           "databasesMax": null,
                     *           "role": "owner",
                     *           "createdAt": "2026-11-21T02:03:04.567Z",
                     *           "deletedAt": null,
                     *           "purgeAt": null
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 50,
                     *         "nextCursor": null,
                     *         "hasMore": false
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["OrganizationList"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-invalid_cursor-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly createOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateOrganizationRequest"];
            };
        };
        readonly responses: {
            /** @description It is there. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly Location: components["headers"]["Location"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "organization": {
                     *         "id": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "Acme",
                     *         "slug": "acme",
                     *         "namespace": "org-acme",
                     *         "status": "ACTIVE",
                     *         "suspensionReason": null,
                     *         "databasesMax": null,
                     *         "role": "owner",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "deletedAt": null,
                     *         "purgeAt": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CreatedOrganization"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["provisioning_not_permitted-or-csrf_failed-or-session_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 409: components["responses"]["organization_slug_taken-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly getOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the organization.
                 * @example org_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly organizationId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The organization. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organization": {
                     *         "id": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "Acme",
                     *         "slug": "acme",
                     *         "namespace": "org-acme",
                     *         "status": "ACTIVE",
                     *         "suspensionReason": null,
                     *         "databasesMax": null,
                     *         "role": "owner",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "deletedAt": null,
                     *         "purgeAt": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["OrganizationAnswer"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly deleteOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the organization.
                 * @example org_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly organizationId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is deleted. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "organization": {
                     *         "id": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "Acme",
                     *         "slug": "acme",
                     *         "namespace": "org-acme",
                     *         "status": "DELETED",
                     *         "suspensionReason": null,
                     *         "databasesMax": null,
                     *         "role": "owner",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "deletedAt": "2026-11-21T02:03:04.567Z",
                     *         "purgeAt": "2026-07-30T09:12:31.402Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedOrganization"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["provisioning_not_permitted-or-csrf_failed-or-session_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 409: components["responses"]["organization_not_empty"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly updateOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the organization.
                 * @example org_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly organizationId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateOrganizationRequest"];
            };
        };
        readonly responses: {
            /** @description It is changed. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "organization": {
                     *         "id": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "Acme Payments",
                     *         "slug": "acme",
                     *         "namespace": "org-acme",
                     *         "status": "ACTIVE",
                     *         "suspensionReason": null,
                     *         "databasesMax": null,
                     *         "role": "owner",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "deletedAt": null,
                     *         "purgeAt": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedOrganization"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["provisioning_not_permitted-or-organization_suspended-or-csrf_failed-or-session_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly suspendOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the organization.
                 * @example org_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly organizationId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SuspendOrganizationRequest"];
            };
        };
        readonly responses: {
            /** @description It is suspended. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "organization": {
                     *         "id": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "Acme",
                     *         "slug": "acme",
                     *         "namespace": "org-acme",
                     *         "status": "SUSPENDED",
                     *         "suspensionReason": "The contract has ended.",
                     *         "databasesMax": null,
                     *         "role": "owner",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "deletedAt": null,
                     *         "purgeAt": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedOrganization"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["provisioning_not_permitted-or-csrf_failed-or-session_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 409: components["responses"]["idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly resumeOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the organization.
                 * @example org_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly organizationId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is active. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "organization": {
                     *         "id": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "Acme",
                     *         "slug": "acme",
                     *         "namespace": "org-acme",
                     *         "status": "ACTIVE",
                     *         "suspensionReason": null,
                     *         "databasesMax": null,
                     *         "role": "owner",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "deletedAt": null,
                     *         "purgeAt": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedOrganization"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["provisioning_not_permitted-or-csrf_failed-or-session_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 409: components["responses"]["idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 422: components["responses"]["idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly restoreOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the organization.
                 * @example org_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly organizationId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is there again. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "organization": {
                     *         "id": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "Acme",
                     *         "slug": "acme",
                     *         "namespace": "org-acme",
                     *         "status": "ACTIVE",
                     *         "suspensionReason": null,
                     *         "databasesMax": null,
                     *         "role": "owner",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "deletedAt": null,
                     *         "purgeAt": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedOrganization"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["provisioning_not_permitted-or-csrf_failed-or-session_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 409: components["responses"]["organization_not_deleted-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 422: components["responses"]["idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly listMembers: {
        readonly parameters: {
            readonly query?: {
                /** @description Rows at most. */
                readonly limit?: number;
                /** @description `page.nextCursor` of the page before; good for 24 hours. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of members. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "mem_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "user": {
                     *             "id": "usr_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *             "name": "Ada",
                     *             "email": "ada@example.com"
                     *           },
                     *           "role": "developer",
                     *           "databaseScope": {
                     *             "type": "DATABASES",
                     *             "databaseIds": [
                     *               "db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *             ]
                     *           },
                     *           "createdAt": "2026-11-21T02:03:04.567Z",
                     *           "updatedAt": "2026-11-21T02:03:04.567Z"
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 50,
                     *         "nextCursor": null,
                     *         "hasMore": false
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["MemberList"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-invalid_cursor-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly getMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the member.
                 * @example mem_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly membershipId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The member. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "member": {
                     *         "id": "mem_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "user": {
                     *           "id": "usr_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "name": "Ada",
                     *           "email": "ada@example.com"
                     *         },
                     *         "role": "developer",
                     *         "databaseScope": {
                     *           "type": "DATABASES",
                     *           "databaseIds": [
                     *             "db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *           ]
                     *         },
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "updatedAt": "2026-11-21T02:03:04.567Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["MemberAnswer"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-member_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly removeMember: {
        readonly parameters: {
            readonly query?: {
                /** @description What is revoked with the removal: one or both, with commas. */
                readonly revoke?: readonly ("apiKeys" | "invitations")[];
            };
            readonly header?: {
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the member.
                 * @example mem_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly membershipId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description They belong to the organization no more. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "member": {
                     *         "id": "mem_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "user": {
                     *           "id": "usr_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "name": "Ada",
                     *           "email": "ada@example.com"
                     *         },
                     *         "role": "developer",
                     *         "databaseScope": {
                     *           "type": "DATABASES",
                     *           "databaseIds": [
                     *             "db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *           ]
                     *         },
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "updatedAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "apiKeys": [
                     *         {
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "name": "ci",
                     *           "prefix": "lhk_4Zk9QmT2bXe7",
                     *           "lastFour": "u1Qe",
                     *           "permissions": [
                     *             "db:read",
                     *             "db:write"
                     *           ],
                     *           "databaseScope": {
                     *             "type": "ALL"
                     *           },
                     *           "status": "ACTIVE",
                     *           "expiresAt": "2027-02-19T02:03:04.567Z",
                     *           "ipAllowList": [],
                     *           "rotatedFrom": null,
                     *           "rotationEndsAt": null,
                     *           "lastUsedAt": null,
                     *           "lastUsedIp": null,
                     *           "lastUsedUserAgent": null,
                     *           "createdAt": "2026-11-21T02:03:04.567Z",
                     *           "createdBy": {
                     *             "type": "user",
                     *             "id": null,
                     *             "display": "local administrator"
                     *           },
                     *           "revokedAt": null,
                     *           "revokedBy": null
                     *         }
                     *       ],
                     *       "invitations": []
                     *     }
                     */
                    readonly "application/json": components["schemas"]["RemovedMember"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-member_not_found"];
            readonly 409: components["responses"]["last_owner"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly updateMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the member.
                 * @example mem_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly membershipId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateMemberRequest"];
            };
        };
        readonly responses: {
            /** @description They are changed. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "member": {
                     *         "id": "mem_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "user": {
                     *           "id": "usr_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "name": "Ada",
                     *           "email": "ada@example.com"
                     *         },
                     *         "role": "developer",
                     *         "databaseScope": {
                     *           "type": "DATABASES",
                     *           "databaseIds": [
                     *             "db_01jd8f3zk5e0v9t3m2q6r8w4x0"
                     *           ]
                     *         },
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "updatedAt": "2026-11-21T02:03:04.567Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedMember"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["database_not_found-or-organization_not_found-or-member_not_found"];
            readonly 409: components["responses"]["last_owner"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly leaveOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description You belong to the organization no more. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["member_not_found-or-organization_not_found"];
            readonly 409: components["responses"]["last_owner-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 422: components["responses"]["idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly listInvitations: {
        readonly parameters: {
            readonly query?: {
                /** @description Rows at most. */
                readonly limit?: number;
                /** @description `page.nextCursor` of the page before; good for 24 hours. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of invitations. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "inv_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "email": "ada@example.com",
                     *           "role": "developer",
                     *           "databaseScope": {
                     *             "type": "ALL"
                     *           },
                     *           "status": "OPEN",
                     *           "createdAt": "2026-11-21T02:03:04.567Z",
                     *           "createdBy": {
                     *             "type": "user",
                     *             "id": "usr_01jd8f3zk5e0v9t3m2q6r8w4x1",
                     *             "display": "Grace"
                     *           },
                     *           "sentAt": "2026-11-21T02:03:04.567Z",
                     *           "expiresAt": "2026-11-21T02:03:04.567Z"
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 50,
                     *         "nextCursor": null,
                     *         "hasMore": false
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["InvitationList"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-invalid_cursor-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly createInvitation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateInvitationRequest"];
            };
        };
        readonly responses: {
            /** @description They are invited. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly Location: components["headers"]["Location"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "invitation": {
                     *         "id": "inv_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "email": "ada@example.com",
                     *         "role": "developer",
                     *         "databaseScope": {
                     *           "type": "ALL"
                     *         },
                     *         "status": "OPEN",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "createdBy": {
                     *           "type": "user",
                     *           "id": "usr_01jd8f3zk5e0v9t3m2q6r8w4x1",
                     *           "display": "Grace"
                     *         },
                     *         "sentAt": "2026-11-21T02:03:04.567Z",
                     *         "expiresAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "token": "lhi_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3",
                     *       "acceptUrl": "https://ledgerhouse.example.com/invitation?token=lhi_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3",
                     *       "mailed": true
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SentInvitation"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["database_not_found-or-organization_not_found"];
            readonly 409: components["responses"]["already_member-or-invitation_exists-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly resendInvitation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the invitation.
                 * @example inv_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly invitationId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is sent. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "invitation": {
                     *         "id": "inv_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "email": "ada@example.com",
                     *         "role": "developer",
                     *         "databaseScope": {
                     *           "type": "ALL"
                     *         },
                     *         "status": "OPEN",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "createdBy": {
                     *           "type": "user",
                     *           "id": "usr_01jd8f3zk5e0v9t3m2q6r8w4x1",
                     *           "display": "Grace"
                     *         },
                     *         "sentAt": "2026-11-21T02:03:04.567Z",
                     *         "expiresAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "token": "lhi_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3",
                     *       "acceptUrl": "https://ledgerhouse.example.com/invitation?token=lhi_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3",
                     *       "mailed": true
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SentInvitation"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["organization_not_found-or-invitation_not_found"];
            readonly 409: components["responses"]["idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 422: components["responses"]["idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly revokeInvitation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the invitation.
                 * @example inv_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly invitationId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Nobody can accept it any more. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-invitation_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly acceptInvitation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AcceptInvitationRequest"];
            };
        };
        readonly responses: {
            /** @description You are a member. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "organization": {
                     *         "id": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "Acme",
                     *         "slug": "acme",
                     *         "namespace": "org-acme",
                     *         "status": "ACTIVE",
                     *         "suspensionReason": null,
                     *         "databasesMax": null,
                     *         "role": "owner",
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "deletedAt": null,
                     *         "purgeAt": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AcceptedInvitation"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-session_required"];
            readonly 404: components["responses"]["invitation_not_found-or-organization_not_found"];
            readonly 409: components["responses"]["already_member-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly listApiKeys: {
        readonly parameters: {
            readonly query?: {
                /** @description Rows at most. */
                readonly limit?: number;
                /** @description `page.nextCursor` of the page before; good for 24 hours. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of keys. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "name": "ci",
                     *           "prefix": "lhk_4Zk9QmT2bXe7",
                     *           "lastFour": "u1Qe",
                     *           "permissions": [
                     *             "db:read",
                     *             "db:write"
                     *           ],
                     *           "databaseScope": {
                     *             "type": "ALL"
                     *           },
                     *           "status": "ACTIVE",
                     *           "expiresAt": "2027-02-19T02:03:04.567Z",
                     *           "ipAllowList": [],
                     *           "rotatedFrom": null,
                     *           "rotationEndsAt": null,
                     *           "lastUsedAt": null,
                     *           "lastUsedIp": null,
                     *           "lastUsedUserAgent": null,
                     *           "createdAt": "2026-11-21T02:03:04.567Z",
                     *           "createdBy": {
                     *             "type": "user",
                     *             "id": null,
                     *             "display": "local administrator"
                     *           },
                     *           "revokedAt": null,
                     *           "revokedBy": null
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 50,
                     *         "nextCursor": null,
                     *         "hasMore": false
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ApiKeyList"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-invalid_cursor-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly createApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        readonly responses: {
            /** @description The key, with its secret. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly Location: components["headers"]["Location"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "apiKey": {
                     *         "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "ci",
                     *         "prefix": "lhk_4Zk9QmT2bXe7",
                     *         "lastFour": "u1Qe",
                     *         "permissions": [
                     *           "db:read",
                     *           "db:write"
                     *         ],
                     *         "databaseScope": {
                     *           "type": "ALL"
                     *         },
                     *         "status": "ACTIVE",
                     *         "expiresAt": "2027-02-19T02:03:04.567Z",
                     *         "ipAllowList": [],
                     *         "rotatedFrom": null,
                     *         "rotationEndsAt": null,
                     *         "lastUsedAt": null,
                     *         "lastUsedIp": null,
                     *         "lastUsedUserAgent": null,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "createdBy": {
                     *           "type": "user",
                     *           "id": null,
                     *           "display": "local administrator"
                     *         },
                     *         "revokedAt": null,
                     *         "revokedBy": null
                     *       },
                     *       "secret": "lhk_4Zk9QmT2bXe7_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2y"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["quota_exceeded-or-csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["database_not_found-or-organization_not_found"];
            readonly 409: components["responses"]["idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly getApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the API key.
                 * @example key_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly keyId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "apiKey": {
                     *         "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "ci",
                     *         "prefix": "lhk_4Zk9QmT2bXe7",
                     *         "lastFour": "u1Qe",
                     *         "permissions": [
                     *           "db:read",
                     *           "db:write"
                     *         ],
                     *         "databaseScope": {
                     *           "type": "ALL"
                     *         },
                     *         "status": "ACTIVE",
                     *         "expiresAt": "2027-02-19T02:03:04.567Z",
                     *         "ipAllowList": [],
                     *         "rotatedFrom": null,
                     *         "rotationEndsAt": null,
                     *         "lastUsedAt": null,
                     *         "lastUsedIp": null,
                     *         "lastUsedUserAgent": null,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "createdBy": {
                     *           "type": "user",
                     *           "id": null,
                     *           "display": "local administrator"
                     *         },
                     *         "revokedAt": null,
                     *         "revokedBy": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ApiKeyAnswer"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-api_key_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly revokeApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the API key.
                 * @example key_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly keyId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is revoked. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-api_key_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly rotateApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the API key.
                 * @example key_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly keyId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["RotateApiKeyRequest"];
            };
        };
        readonly responses: {
            /** @description The new key, with its secret. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly Location: components["headers"]["Location"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "apiKey": {
                     *         "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "ci",
                     *         "prefix": "lhk_4Zk9QmT2bXe7",
                     *         "lastFour": "u1Qe",
                     *         "permissions": [
                     *           "db:read",
                     *           "db:write"
                     *         ],
                     *         "databaseScope": {
                     *           "type": "ALL"
                     *         },
                     *         "status": "ACTIVE",
                     *         "expiresAt": "2027-02-19T02:03:04.567Z",
                     *         "ipAllowList": [],
                     *         "rotatedFrom": null,
                     *         "rotationEndsAt": null,
                     *         "lastUsedAt": null,
                     *         "lastUsedIp": null,
                     *         "lastUsedUserAgent": null,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "createdBy": {
                     *           "type": "user",
                     *           "id": null,
                     *           "display": "local administrator"
                     *         },
                     *         "revokedAt": null,
                     *         "revokedBy": null
                     *       },
                     *       "secret": "lhk_4Zk9QmT2bXe7_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2y"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["organization_not_found-or-api_key_not_found"];
            readonly 409: components["responses"]["api_key_not_active-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly renewApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the API key.
                 * @example key_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly keyId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["RenewApiKeyRequest"];
            };
        };
        readonly responses: {
            /** @description The key, renewed. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "apiKey": {
                     *         "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "name": "ci",
                     *         "prefix": "lhk_4Zk9QmT2bXe7",
                     *         "lastFour": "u1Qe",
                     *         "permissions": [
                     *           "db:read",
                     *           "db:write"
                     *         ],
                     *         "databaseScope": {
                     *           "type": "ALL"
                     *         },
                     *         "status": "ACTIVE",
                     *         "expiresAt": "2027-02-19T02:03:04.567Z",
                     *         "ipAllowList": [],
                     *         "rotatedFrom": null,
                     *         "rotationEndsAt": null,
                     *         "lastUsedAt": null,
                     *         "lastUsedIp": null,
                     *         "lastUsedUserAgent": null,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "createdBy": {
                     *           "type": "user",
                     *           "id": null,
                     *           "display": "local administrator"
                     *         },
                     *         "revokedAt": null,
                     *         "revokedBy": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedApiKey"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["organization_not_found-or-api_key_not_found"];
            readonly 409: components["responses"]["api_key_not_active-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly listAuditEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description Rows at most. */
                readonly limit?: number;
                /** @description `page.nextCursor` of the page before; good for 24 hours. */
                readonly cursor?: string;
                /** @description One or several, with commas. */
                readonly type?: readonly string[];
                readonly actorId?: string;
                readonly targetId?: string;
                /** @description At this time or later. */
                readonly after?: string;
                /** @description Before this time. */
                readonly before?: string;
            };
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of events. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "evt_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "sequence": "184467",
                     *           "occurredAt": "2026-11-21T02:03:04.567Z",
                     *           "type": "database.created",
                     *           "outcome": "SUCCESS",
                     *           "ip": "192.0.2.10",
                     *           "userAgent": "curl/8.5.0",
                     *           "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "actor": {
                     *             "type": "api_key",
                     *             "id": "key_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *             "display": "ci"
                     *           },
                     *           "organizationId": "org_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "target": {
                     *             "type": "database",
                     *             "id": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *             "display": "payments-prod"
                     *           },
                     *           "data": {
                     *             "database": {
                     *               "id": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *               "name": "payments-prod",
                     *               "status": "PROVISIONING"
                     *             }
                     *           },
                     *           "changes": [],
                     *           "requestId": "req_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "keyVersion": "3f9a12c0",
                     *           "previousHash": "0000000000000000000000000000000000000000000000000000000000000000",
                     *           "hash": "c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0"
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 50,
                     *         "nextCursor": null,
                     *         "hasMore": false
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AuditEventList"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-invalid_cursor-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly exportAuditEvents: {
        readonly parameters: {
            readonly query?: {
                readonly format?: "ndjson" | "csv";
                readonly limit?: number;
                /** @description `page.nextCursor` of the page before; good for 24 hours. */
                readonly cursor?: string;
                /** @description One or several, with commas. */
                readonly type?: readonly string[];
                readonly actorId?: string;
                readonly targetId?: string;
                /** @description At this time or later. */
                readonly after?: string;
                /** @description Before this time. */
                readonly before?: string;
            };
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An event a line; in CSV, the first page begins with the names of the columns. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Next-Cursor": components["headers"]["Next-Cursor"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /** @example {"id":"evt_01jd8f3zk5e0v9t3m2q6r8w4x0","sequence":"184467","occurredAt":"2026-11-21T02:03:04.567Z","type":"database.created","outcome":"SUCCESS","ip":"192.0.2.10","userAgent":"curl/8.5.0","databaseId":"db_01jd8f3zk5e0v9t3m2q6r8w4x0","actor":{"type":"api_key","id":"key_01jd8f3zk5e0v9t3m2q6r8w4x0","display":"ci"},"organizationId":"org_01jd8f3zk5e0v9t3m2q6r8w4x0","target":{"type":"database","id":"db_01jd8f3zk5e0v9t3m2q6r8w4x0","display":"payments-prod"},"data":{"database":{"id":"db_01jd8f3zk5e0v9t3m2q6r8w4x0","name":"payments-prod","status":"PROVISIONING"}},"changes":[],"requestId":"req_01jd8f3zk5e0v9t3m2q6r8w4x0","keyVersion":"3f9a12c0","previousHash":"0000000000000000000000000000000000000000000000000000000000000000","hash":"c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0"} */
                    readonly "application/x-ndjson": string;
                    /**
                     * @example sequence,id,occurredAt,type
                     *     184467,evt_01jd8f3zk5e0v9t3m2q6r8w4xy,2026-07-01T12:00:00.000Z,database.created
                     */
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-invalid_cursor-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly verifyAuditEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description Number of the first event to check. */
                readonly from?: string;
            };
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description How far it was checked. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "valid": true,
                     *       "checked": 412,
                     *       "next": null,
                     *       "keyedFrom": "1",
                     *       "head": {
                     *         "sequence": "412",
                     *         "hash": "c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0c5a3b1f0"
                     *       },
                     *       "fault": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AuditVerification"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly listWebhookEndpoints: {
        readonly parameters: {
            readonly query?: {
                /** @description Rows at most. */
                readonly limit?: number;
                /** @description `page.nextCursor` of the page before; good for 24 hours. */
                readonly cursor?: string;
            };
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of endpoints. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "whe_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *           "url": "https://hooks.example.com/ledgerhouse",
                     *           "description": "",
                     *           "eventTypes": [
                     *             "database.*"
                     *           ],
                     *           "databaseScope": {
                     *             "type": "ALL"
                     *           },
                     *           "status": "ENABLED",
                     *           "disabledReason": null,
                     *           "version": 1,
                     *           "createdAt": "2026-11-21T02:03:04.567Z",
                     *           "updatedAt": "2026-11-21T02:03:04.567Z"
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 50,
                     *         "nextCursor": null,
                     *         "hasMore": false
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookEndpointList"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-invalid_cursor-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly createWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateWebhookEndpointRequest"];
            };
        };
        readonly responses: {
            /** @description The endpoint, with its secret. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly Location: components["headers"]["Location"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "webhookEndpoint": {
                     *         "id": "whe_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "url": "https://hooks.example.com/ledgerhouse",
                     *         "description": "",
                     *         "eventTypes": [
                     *           "database.*"
                     *         ],
                     *         "databaseScope": {
                     *           "type": "ALL"
                     *         },
                     *         "status": "ENABLED",
                     *         "disabledReason": null,
                     *         "version": 1,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "updatedAt": "2026-11-21T02:03:04.567Z"
                     *       },
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CreatedWebhookEndpoint"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["quota_exceeded-or-csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["database_not_found-or-organization_not_found"];
            readonly 409: components["responses"]["idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly getWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The ETag that is known. */
                readonly "If-None-Match"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the webhook endpoint.
                 * @example whe_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The endpoint. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookEndpoint": {
                     *         "id": "whe_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "url": "https://hooks.example.com/ledgerhouse",
                     *         "description": "",
                     *         "eventTypes": [
                     *           "database.*"
                     *         ],
                     *         "databaseScope": {
                     *           "type": "ALL"
                     *         },
                     *         "status": "ENABLED",
                     *         "disabledReason": null,
                     *         "version": 1,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "updatedAt": "2026-11-21T02:03:04.567Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["WebhookEndpointAnswer"];
                };
            };
            /** @description As If-None-Match says. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found-or-webhook_endpoint_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly deleteWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The ETag that is to be changed. */
                readonly "If-Match"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the webhook endpoint.
                 * @example whe_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is gone. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["organization_not_found-or-webhook_endpoint_not_found"];
            readonly 412: components["responses"]["precondition_failed"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly updateWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The ETag that is to be changed. */
                readonly "If-Match"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path: {
                /**
                 * @description ID of the webhook endpoint.
                 * @example whe_01jd8f3zk5e0v9t3m2q6r8w4x0
                 */
                readonly endpointId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateWebhookEndpointRequest"];
            };
        };
        readonly responses: {
            /** @description It is changed. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "webhookEndpoint": {
                     *         "id": "whe_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *         "url": "https://hooks.example.com/ledgerhouse",
                     *         "description": "",
                     *         "eventTypes": [
                     *           "database.*"
                     *         ],
                     *         "databaseScope": {
                     *           "type": "ALL"
                     *         },
                     *         "status": "ENABLED",
                     *         "disabledReason": null,
                     *         "version": 1,
                     *         "createdAt": "2026-11-21T02:03:04.567Z",
                     *         "updatedAt": "2026-11-21T02:03:04.567Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedWebhookEndpoint"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required-or-organization_suspended"];
            readonly 404: components["responses"]["database_not_found-or-organization_not_found-or-webhook_endpoint_not_found"];
            readonly 412: components["responses"]["precondition_failed"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly getBilling: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Its standing. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "billing": {
                     *         "provider": "stripe",
                     *         "status": "READY",
                     *         "paymentMethod": {
                     *           "brand": "visa",
                     *           "last4": "4242"
                     *         },
                     *         "spendLimit": {
                     *           "currency": "EUR",
                     *           "amount": "500.00"
                     *         },
                     *         "currentPeriod": {
                     *           "start": "2026-11-01T00:00:00.000Z",
                     *           "end": "2026-12-01T00:00:00.000Z",
                     *           "accrued": {
                     *             "currency": "EUR",
                     *             "amount": "12.34"
                     *           },
                     *           "accruedUntil": "2026-11-21T02:00:00.000Z"
                     *         },
                     *         "savedCreates": [
                     *           {
                     *             "id": "drf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *             "name": "payments-prod",
                     *             "status": "CREATED",
                     *             "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *             "error": null,
                     *             "createdAt": "2026-11-21T02:03:04.567Z",
                     *             "expiresAt": "2026-11-22T02:03:04.567Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["BillingAnswer"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly updateBilling: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateBillingRequest"];
            };
        };
        readonly responses: {
            /** @description It is changed. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "billing": {
                     *         "provider": "stripe",
                     *         "status": "READY",
                     *         "paymentMethod": {
                     *           "brand": "visa",
                     *           "last4": "4242"
                     *         },
                     *         "spendLimit": {
                     *           "currency": "EUR",
                     *           "amount": "500.00"
                     *         },
                     *         "currentPeriod": {
                     *           "start": "2026-11-01T00:00:00.000Z",
                     *           "end": "2026-12-01T00:00:00.000Z",
                     *           "accrued": {
                     *             "currency": "EUR",
                     *             "amount": "12.34"
                     *           },
                     *           "accruedUntil": "2026-11-21T02:00:00.000Z"
                     *         },
                     *         "savedCreates": [
                     *           {
                     *             "id": "drf_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *             "name": "payments-prod",
                     *             "status": "CREATED",
                     *             "databaseId": "db_01jd8f3zk5e0v9t3m2q6r8w4x0",
                     *             "error": null,
                     *             "createdAt": "2026-11-21T02:03:04.567Z",
                     *             "expiresAt": "2026-11-22T02:03:04.567Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangedBilling"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 409: components["responses"]["billing_not_used"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly openCheckout: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Your name for this request: sent again within 24 hours, it is done once, and the answer is the same. */
                readonly "Idempotency-Key"?: string;
                /** @description With a session: the token that it was opened with. */
                readonly "X-CSRF-Token"?: string;
                /** @description With a session: the organization to act for, if not the first. */
                readonly "X-Organization-Id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["OpenCheckoutRequest"];
            };
        };
        readonly responses: {
            /** @description It is open. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "checkoutUrl": "https://checkout.stripe.com/c/pay/cs_1",
                     *       "expiresAt": "2026-11-22T02:03:04.567Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["OpenedCheckout"];
                };
            };
            readonly 400: components["responses"]["invalid_parameter-or-conflicting_credentials-or-malformed_json"];
            readonly 401: components["responses"]["authentication_required-or-invalid_credentials-or-credential_expired"];
            readonly 403: components["responses"]["csrf_failed-or-insufficient_scope-or-session_required-or-organization_required"];
            readonly 404: components["responses"]["organization_not_found"];
            readonly 409: components["responses"]["billing_not_used-or-idempotency_in_progress-or-idempotency_answer_lost"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed-or-idempotency_key_reused"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
    readonly receiveStripeEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Of the body, as Stripe makes it. */
                readonly "Stripe-Signature"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["StripeEvent"];
            };
        };
        readonly responses: {
            /** @description It was acted on, or is nothing to act on. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["invalid_parameter-or-malformed_json"];
            readonly 401: components["responses"]["invalid_credentials"];
            readonly 403: components["responses"]["csrf_failed"];
            readonly 404: components["responses"]["not_found"];
            readonly 413: components["responses"]["payload_too_large"];
            readonly 415: components["responses"]["unsupported_media_type"];
            readonly 422: components["responses"]["validation_failed"];
            readonly 429: components["responses"]["rate_limited"];
            readonly 500: components["responses"]["internal_error"];
            readonly 503: components["responses"]["service_unavailable"];
        };
    };
}
