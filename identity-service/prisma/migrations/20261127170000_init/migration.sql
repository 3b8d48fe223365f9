-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "api_key_type" AS ENUM ('secret', 'restricted');

-- CreateEnum
CREATE TYPE "membership_role" AS ENUM ('owner', 'developer', 'viewer');

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "key_type" "api_key_type" NOT NULL,
    "scopes" TEXT[],
    "secret_hash" BYTEA NOT NULL,
    "last_four" TEXT NOT NULL,
    "request_limit" INTEGER NOT NULL,
    "granted_limit" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3),
    "rotated_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "last_used_ip" TEXT,
    "created_by" TEXT,
    "secret_seen_by" TEXT,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "member_key_rules" (
    "business_id" BIGINT NOT NULL,
    "secret_keys" BOOLEAN NOT NULL,
    "scopes" TEXT[],

    CONSTRAINT "member_key_rules_pkey" PRIMARY KEY ("business_id")
);

-- CreateTable
CREATE TABLE "credential_generations" (
    "business_id" BIGINT NOT NULL,
    "generation" BIGINT NOT NULL,
    "propagated" BIGINT NOT NULL,
    "raised_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "credential_generations_pkey" PRIMARY KEY ("business_id")
);

-- CreateTable
CREATE TABLE "outbox_events" (
    "id" TEXT NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "business_id" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "application_id" TEXT,
    "data" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key_notices" (
    "api_key_id" TEXT NOT NULL,
    "days" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "api_key_notices_pkey" PRIMARY KEY ("api_key_id","expires_at","days")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "business_id" BIGINT NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "client_ip" TEXT,
    "request_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "details" JSONB NOT NULL,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_warnings" (
    "endpoint_id" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "step" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "sent_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "webhook_warnings_pkey" PRIMARY KEY ("endpoint_id","since","step","person_id")
);

-- CreateTable
CREATE TABLE "usage_counts" (
    "credential_id" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "credential_type" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "count_2xx" BIGINT NOT NULL,
    "count_4xx" BIGINT NOT NULL,
    "count_429" BIGINT NOT NULL,
    "count_5xx" BIGINT NOT NULL,
    "limit_id" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "usage_counts_pkey" PRIMARY KEY ("credential_id","minute")
) PARTITION BY RANGE ("minute");

-- CreateTable
CREATE TABLE "usage_hours" (
    "business_id" BIGINT NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "limit_id" TEXT NOT NULL,
    "count_2xx" BIGINT NOT NULL,
    "count_4xx" BIGINT NOT NULL,
    "count_429" BIGINT NOT NULL,
    "count_5xx" BIGINT NOT NULL,

    CONSTRAINT "usage_hours_pkey" PRIMARY KEY ("business_id","hour","limit_id")
) PARTITION BY RANGE ("hour");

-- CreateTable
CREATE TABLE "usage_addresses" (
    "limit_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "address" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "requests" BIGINT NOT NULL,
    "successes" BIGINT NOT NULL,
    "last_success_at" TIMESTAMPTZ(3),

    CONSTRAINT "usage_addresses_pkey" PRIMARY KEY ("limit_id","hour","address")
) PARTITION BY RANGE ("hour");

-- CreateTable
CREATE TABLE "usage_endpoints" (
    "limit_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "requests" BIGINT NOT NULL,

    CONSTRAINT "usage_endpoints_pkey" PRIMARY KEY ("limit_id","hour","method","route")
) PARTITION BY RANGE ("hour");

-- CreateTable
CREATE TABLE "scope_uses" (
    "limit_id" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scope_uses_pkey" PRIMARY KEY ("limit_id","scope")
);

-- CreateTable
CREATE TABLE "limit_observations" (
    "limit_id" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "used" INTEGER NOT NULL,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "limit_observations_pkey" PRIMARY KEY ("limit_id")
);

-- CreateTable
CREATE TABLE "request_records" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "business_id" BIGINT,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "refusal" TEXT,
    "credential_type" TEXT,
    "credential_id" TEXT,
    "limit_id" TEXT,
    "client_ip" TEXT NOT NULL,
    "required_scope" TEXT,
    "invalid_field" TEXT,
    "secret_last_four" TEXT,
    "public_error" TEXT,
    "requests" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "request_records_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "business_freezes" (
    "business_id" BIGINT NOT NULL,
    "frozen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "person_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "business_freezes_pkey" PRIMARY KEY ("business_id")
);

-- CreateTable
CREATE TABLE "second_factor_requirements" (
    "business_id" BIGINT NOT NULL,
    "required_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "person_id" TEXT NOT NULL,

    CONSTRAINT "second_factor_requirements_pkey" PRIMARY KEY ("business_id")
);

-- CreateTable
CREATE TABLE "limit_requests" (
    "id" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "requested_limit" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "decided_at" TIMESTAMPTZ(3),
    "granted_limit" INTEGER,
    "decision_reason" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "limit_requests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "logos" (
    "business_id" BIGINT NOT NULL,
    "digest" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "logos_pkey" PRIMARY KEY ("business_id","digest")
);

-- CreateTable
CREATE TABLE "invitations" (
    "id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "business_id" BIGINT NOT NULL,
    "email" TEXT NOT NULL,
    "role" "membership_role" NOT NULL,
    "invited_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_batches" (
    "batch_id" UUID NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "usage_batches_pkey" PRIMARY KEY ("batch_id")
);

-- CreateTable
CREATE TABLE "people" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "password_set_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "totp_secret" BYTEA,
    "totp_confirmed_at" TIMESTAMPTZ(3),
    "totp_last_step" BIGINT,
    "quiet_topics" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "daily_topics" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "people_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "new_businesses" (
    "person_id" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "creation_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "new_businesses_pkey" PRIMARY KEY ("person_id","username")
);

-- CreateTable
CREATE TABLE "notices" (
    "id" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "business_id" BIGINT,
    "subject_id" TEXT NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "client_ip" TEXT,
    "details" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "read_at" TIMESTAMPTZ(3),
    "mail_due_at" TIMESTAMPTZ(3) DEFAULT clock_timestamp(),
    "mail_tries" INTEGER NOT NULL DEFAULT 0,
    "mailed_at" TIMESTAMPTZ(3),
    "recipient" TEXT,
    "digest_id" TEXT,

    CONSTRAINT "notices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "person_id" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "role" "membership_role" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("person_id","business_id")
);

-- CreateTable
CREATE TABLE "recovery_codes" (
    "person_id" TEXT NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("person_id","code_hash")
);

-- CreateTable
CREATE TABLE "passkeys" (
    "id" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "credential_id" BYTEA NOT NULL,
    "public_key" BYTEA NOT NULL,
    "sign_count" BIGINT NOT NULL,
    "transports" TEXT[],
    "is_backed_up" BOOLEAN NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkeys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "passkey_challenges" (
    "challenge" BYTEA NOT NULL,
    "purpose" TEXT NOT NULL,
    "session_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "passkey_challenges_pkey" PRIMARY KEY ("challenge")
);

-- CreateTable
CREATE TABLE "sign_ups" (
    "token_hash" BYTEA NOT NULL,
    "email" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_ups_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "password_resets" (
    "token_hash" BYTEA NOT NULL,
    "person_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "password_resets_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "email_changes" (
    "person_id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_changes_pkey" PRIMARY KEY ("person_id")
);

-- CreateTable
CREATE TABLE "email_undos" (
    "id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "sealed_token" BYTEA NOT NULL,
    "person_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_undos_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id_hash" BYTEA NOT NULL,
    "person_id" TEXT,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "client_ip" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id_hash")
);

-- CreateTable
CREATE TABLE "throttle_counts" (
    "key" TEXT NOT NULL,
    "window_start" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "throttle_counts_pkey" PRIMARY KEY ("key","window_start")
);

-- CreateTable
CREATE TABLE "applications" (
    "id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "redirect_uris" TEXT[],
    "scopes" TEXT[],
    "ip_whitelist" TEXT[],
    "webhooks_enabled" BOOLEAN NOT NULL,
    "webhook_events" TEXT[],
    "allowed_origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "repeat_lost_refresh" BOOLEAN NOT NULL DEFAULT false,
    "connected_user_limit" INTEGER NOT NULL DEFAULT 50,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "applications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "application_suspensions" (
    "application_id" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "suspended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "application_suspensions_pkey" PRIMARY KEY ("application_id","cause")
);

-- CreateTable
CREATE TABLE "grant_suspensions" (
    "grant_id" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "suspended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "grant_suspensions_pkey" PRIMARY KEY ("grant_id")
);

-- CreateTable
CREATE TABLE "banned_publishers" (
    "business_id" BIGINT NOT NULL,
    "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "banned_publishers_pkey" PRIMARY KEY ("business_id")
);

-- CreateTable
CREATE TABLE "ban_cursors" (
    "id" INTEGER NOT NULL,
    "sequence" BIGINT NOT NULL,

    CONSTRAINT "ban_cursors_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "client_secrets" (
    "id" TEXT NOT NULL,
    "application_id" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "last_four" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "last_used_at" TIMESTAMPTZ(3),
    "created_by" TEXT,

    CONSTRAINT "client_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "application_entry_makers" (
    "application_id" TEXT NOT NULL,
    "list" TEXT NOT NULL,
    "entry" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "added_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "application_entry_makers_pkey" PRIMARY KEY ("application_id","list","entry")
);

-- CreateTable
CREATE TABLE "grants" (
    "id" TEXT NOT NULL,
    "application_id" TEXT,
    "business_id" BIGINT NOT NULL,
    "person_id" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "approved_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "approved_as" JSONB,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,
    "scopes_used" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "last_used_at" TIMESTAMPTZ(3),
    "last_used_ip" TEXT,

    CONSTRAINT "grants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "authorization_codes" (
    "code_hash" BYTEA NOT NULL,
    "grant_id" TEXT NOT NULL,
    "redirect_uri" TEXT NOT NULL,
    "code_challenge" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "authorization_codes_pkey" PRIMARY KEY ("code_hash")
);

-- CreateTable
CREATE TABLE "access_tokens" (
    "token_hash" BYTEA NOT NULL,
    "id" TEXT NOT NULL,
    "grant_id" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "access_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "refresh_tokens" (
    "token_hash" BYTEA NOT NULL,
    "grant_id" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "successor_hash" BYTEA,
    "arrived_at" TIMESTAMPTZ(6),
    "settled_at" TIMESTAMPTZ(6),
    "idempotency_hash" BYTEA,
    "sealed_answer" BYTEA,

    CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "answered_consents" (
    "id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "answered_consents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operators" (
    "person_id" TEXT NOT NULL,
    "invited_by" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "operators_pkey" PRIMARY KEY ("person_id")
);

-- CreateTable
CREATE TABLE "operator_invitations" (
    "id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "email" TEXT NOT NULL,
    "invited_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "operator_invitations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operator_events" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "content" TEXT NOT NULL,

    CONSTRAINT "operator_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operator_chain" (
    "position" BIGINT NOT NULL,
    "event_id" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "operator_chain_pkey" PRIMARY KEY ("position")
);

-- CreateTable
CREATE TABLE "four_eyes" (
    "id" INTEGER NOT NULL,
    "is_on" BOOLEAN NOT NULL,
    "off_asked_by" TEXT,
    "off_asked_at" TIMESTAMPTZ(3),

    CONSTRAINT "four_eyes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ban_proposals" (
    "id" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "is_ban" BOOLEAN NOT NULL,
    "reason" TEXT NOT NULL,
    "proposed_by" TEXT NOT NULL,
    "proposed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "outcome" TEXT,
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "ban_proposals_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_secret_hash_key" ON "api_keys"("secret_hash");

-- CreateIndex
CREATE INDEX "api_keys_business_id_created_at_idx" ON "api_keys"("business_id", "created_at");

-- CreateIndex
CREATE INDEX "api_keys_expires_at_idx" ON "api_keys"("expires_at");

-- CreateIndex
CREATE INDEX "api_keys_last_four_idx" ON "api_keys"("last_four");

-- CreateIndex
CREATE INDEX "credential_generations_raised_at_idx" ON "credential_generations"("raised_at");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_events_position_key" ON "outbox_events"("position");

-- CreateIndex
CREATE INDEX "api_key_notices_expires_at_idx" ON "api_key_notices"("expires_at");

-- CreateIndex
CREATE INDEX "audit_events_business_id_id_idx" ON "audit_events"("business_id", "id");

-- CreateIndex
CREATE INDEX "webhook_warnings_created_at_idx" ON "webhook_warnings"("created_at");

-- CreateIndex
CREATE INDEX "usage_counts_minute_idx" ON "usage_counts"("minute");

-- CreateIndex
CREATE INDEX "usage_counts_business_id_minute_idx" ON "usage_counts"("business_id", "minute");

-- CreateIndex
CREATE INDEX "usage_hours_hour_idx" ON "usage_hours"("hour");

-- CreateIndex
CREATE INDEX "usage_addresses_hour_idx" ON "usage_addresses"("hour");

-- CreateIndex
CREATE INDEX "usage_endpoints_hour_idx" ON "usage_endpoints"("hour");

-- CreateIndex
CREATE INDEX "limit_observations_observed_at_idx" ON "limit_observations"("observed_at");

-- CreateIndex
CREATE INDEX "request_records_business_id_at_id_idx" ON "request_records"("business_id", "at" DESC, "id");

-- CreateIndex
CREATE INDEX "request_records_received_at_idx" ON "request_records"("received_at");

-- CreateIndex
CREATE INDEX "limit_requests_business_id_created_at_idx" ON "limit_requests"("business_id", "created_at");

-- CreateIndex
CREATE INDEX "limit_requests_status_created_at_idx" ON "limit_requests"("status", "created_at");

-- CreateIndex
CREATE INDEX "logos_digest_idx" ON "logos"("digest");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations"("token_hash");

-- CreateIndex
CREATE INDEX "invitations_expires_at_idx" ON "invitations"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_business_id_email_key" ON "invitations"("business_id", "email");

-- CreateIndex
CREATE INDEX "usage_batches_received_at_idx" ON "usage_batches"("received_at");

-- CreateIndex
CREATE UNIQUE INDEX "people_email_key" ON "people"("email");

-- CreateIndex
CREATE INDEX "new_businesses_created_at_idx" ON "new_businesses"("created_at");

-- CreateIndex
CREATE INDEX "notices_person_id_created_at_id_idx" ON "notices"("person_id", "created_at" DESC, "id");

-- CreateIndex
CREATE INDEX "notices_mail_due_at_idx" ON "notices"("mail_due_at");

-- CreateIndex
CREATE INDEX "notices_created_at_idx" ON "notices"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "notices_person_id_key_key" ON "notices"("person_id", "key");

-- CreateIndex
CREATE INDEX "memberships_business_id_idx" ON "memberships"("business_id");

-- CreateIndex
CREATE UNIQUE INDEX "passkeys_credential_id_key" ON "passkeys"("credential_id");

-- CreateIndex
CREATE INDEX "passkeys_person_id_created_at_idx" ON "passkeys"("person_id", "created_at");

-- CreateIndex
CREATE INDEX "passkey_challenges_expires_at_idx" ON "passkey_challenges"("expires_at");

-- CreateIndex
CREATE INDEX "sign_ups_expires_at_idx" ON "sign_ups"("expires_at");

-- CreateIndex
CREATE INDEX "password_resets_person_id_idx" ON "password_resets"("person_id");

-- CreateIndex
CREATE INDEX "password_resets_expires_at_idx" ON "password_resets"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "email_changes_token_hash_key" ON "email_changes"("token_hash");

-- CreateIndex
CREATE INDEX "email_changes_expires_at_idx" ON "email_changes"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "email_undos_token_hash_key" ON "email_undos"("token_hash");

-- CreateIndex
CREATE INDEX "email_undos_person_id_idx" ON "email_undos"("person_id");

-- CreateIndex
CREATE INDEX "email_undos_email_idx" ON "email_undos"("email");

-- CreateIndex
CREATE INDEX "email_undos_expires_at_idx" ON "email_undos"("expires_at");

-- CreateIndex
CREATE INDEX "sessions_person_id_idx" ON "sessions"("person_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE INDEX "throttle_counts_window_start_idx" ON "throttle_counts"("window_start");

-- CreateIndex
CREATE UNIQUE INDEX "applications_client_id_key" ON "applications"("client_id");

-- CreateIndex
CREATE INDEX "applications_business_id_created_at_idx" ON "applications"("business_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "client_secrets_secret_hash_key" ON "client_secrets"("secret_hash");

-- CreateIndex
CREATE INDEX "client_secrets_application_id_idx" ON "client_secrets"("application_id");

-- CreateIndex
CREATE INDEX "grants_application_id_idx" ON "grants"("application_id");

-- CreateIndex
CREATE INDEX "grants_business_id_idx" ON "grants"("business_id");

-- CreateIndex
CREATE INDEX "authorization_codes_grant_id_idx" ON "authorization_codes"("grant_id");

-- CreateIndex
CREATE INDEX "authorization_codes_expires_at_idx" ON "authorization_codes"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "access_tokens_id_key" ON "access_tokens"("id");

-- CreateIndex
CREATE INDEX "access_tokens_grant_id_idx" ON "access_tokens"("grant_id");

-- CreateIndex
CREATE INDEX "access_tokens_expires_at_idx" ON "access_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "refresh_tokens_grant_id_idx" ON "refresh_tokens"("grant_id");

-- CreateIndex
CREATE INDEX "refresh_tokens_used_at_idx" ON "refresh_tokens"("used_at");

-- CreateIndex
CREATE INDEX "refresh_tokens_expires_at_idx" ON "refresh_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "answered_consents_expires_at_idx" ON "answered_consents"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "operator_invitations_token_hash_key" ON "operator_invitations"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "operator_invitations_email_key" ON "operator_invitations"("email");

-- CreateIndex
CREATE INDEX "operator_invitations_expires_at_idx" ON "operator_invitations"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "operator_chain_event_id_key" ON "operator_chain"("event_id");

-- CreateIndex
CREATE INDEX "ban_proposals_proposed_at_idx" ON "ban_proposals"("proposed_at");

-- AddForeignKey
ALTER TABLE "new_businesses" ADD CONSTRAINT "new_businesses_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notices" ADD CONSTRAINT "notices_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "email_changes" ADD CONSTRAINT "email_changes_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "email_undos" ADD CONSTRAINT "email_undos_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "application_suspensions" ADD CONSTRAINT "application_suspensions_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grant_suspensions" ADD CONSTRAINT "grant_suspensions_grant_id_fkey" FOREIGN KEY ("grant_id") REFERENCES "grants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "client_secrets" ADD CONSTRAINT "client_secrets_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "application_entry_makers" ADD CONSTRAINT "application_entry_makers_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_grant_id_fkey" FOREIGN KEY ("grant_id") REFERENCES "grants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_grant_id_fkey" FOREIGN KEY ("grant_id") REFERENCES "grants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_grant_id_fkey" FOREIGN KEY ("grant_id") REFERENCES "grants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operators" ADD CONSTRAINT "operators_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Written by hand.

-- last_used_at changes every few seconds; room on the page keeps such updates out of the indexes.
ALTER TABLE "api_keys" SET (fillfactor = 80);

CREATE INDEX "applications_allowed_origins" ON "applications"("created_at") WHERE "allowed_origins" <> '{}';
CREATE INDEX "audit_events_deleted_applications" ON "audit_events"("subject_id") WHERE "action" = 'application.deleted';
CREATE INDEX "audit_events_operators" ON "audit_events"("id") WHERE "actor_kind" = 'operator';
CREATE UNIQUE INDEX "ban_proposals_business_id_waiting_key" ON "ban_proposals"("business_id") WHERE "outcome" IS NULL;
-- Generations that gateways do not know yet: read every second, almost always empty.
CREATE INDEX "credential_generations_pending_idx" ON "credential_generations"("business_id") WHERE "propagated" < "generation";
CREATE INDEX "grants_ended" ON "grants"("ended_at") WHERE "ended_at" IS NOT NULL;
CREATE UNIQUE INDEX "grants_live" ON "grants"("application_id", "business_id") WHERE "ended_at" IS NULL;
CREATE UNIQUE INDEX "limit_requests_pending_key" ON "limit_requests"("business_id", "kind") WHERE "status" = 'pending';
CREATE INDEX "refresh_tokens_kept_answers" ON "refresh_tokens"("used_at") WHERE "sealed_answer" IS NOT NULL;

-- The audit log only grows.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_events is append-only';
END
$$;

CREATE TRIGGER "audit_events_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_events"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();

-- The operators' log only grows.
CREATE FUNCTION "refuse_operator_log_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;

CREATE TRIGGER "operator_events_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "operator_events"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_operator_log_change"();

CREATE TRIGGER "operator_chain_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "operator_chain"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_operator_log_change"();

-- Links an event to the one before. Deferred to the commit: the lock of the chain is then the last one that a transaction
-- takes, so no deadlock includes it, and it is held for the commit alone.
CREATE FUNCTION "chain_operator_event"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last_position bigint;
  last_hash bytea;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('chain of operators', 0));
  SELECT "position", "hash" INTO last_position, last_hash FROM "operator_chain" ORDER BY "position" DESC LIMIT 1;
  last_position := coalesce(last_position, 0) + 1;
  INSERT INTO "operator_chain" ("position", "event_id", "hash")
  VALUES (last_position, NEW."id", sha256(coalesce(last_hash, ''::bytea) || convert_to(
    last_position || E'\n' || round(extract(epoch FROM NEW."at") * 1000)::bigint || E'\n' || NEW."content", 'UTF8')));
  RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER "operator_events_chained" AFTER INSERT ON "operator_events"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "chain_operator_event"();

-- Rows from before this week or day; then rows for which there is no other partition: of a gateway whose clock is ahead, or while no
-- partitions are made.
DO $$
DECLARE
  parent RECORD;
BEGIN
  FOR parent IN SELECT * FROM (VALUES ('usage_counts', 'week'), ('usage_hours', 'week'), ('usage_addresses', 'day'), ('usage_endpoints', 'day')) AS parents (name, unit) LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (MINVALUE) TO (%L)', parent.name || '_first', parent.name,
      date_trunc(parent.unit, now(), 'UTC'));
    EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', parent.name || '_default', parent.name);
  END LOOP;
END
$$;

-- Makes the next partitions of a table and drops those whose time is over. The role that runs the service owns no table: it calls
-- this, as the owner. It has no choice in it but which table, so every role may call it. Housekeeping does, every minute.
CREATE FUNCTION "keep_partitions"("parent" TEXT) RETURNS TABLE ("made" INTEGER, "dropped" INTEGER, "waits" BOOLEAN)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '200ms'
SET timezone = 'UTC'
SET datestyle = 'ISO, YMD'
AS $$
DECLARE
  -- Rows that are moved from the default partition at most: it is locked meanwhile. A period with more of them stays there.
  most_moved CONSTANT INTEGER := 10000;
  plan RECORD;
  old NAME;
  starts TIMESTAMPTZ;
  ends TIMESTAMPTZ;
  made_name TEXT;
  stray BIGINT;
BEGIN
  SELECT * INTO plan FROM (VALUES
    ('usage_counts', 'minute', 'week', interval '7 days', interval '8 days', interval '90 days'),
    ('usage_hours', 'hour', 'week', interval '7 days', interval '8 days', interval '91 days'),
    ('usage_addresses', 'hour', 'day', interval '1 day', interval '3 days', interval '30 days'),
    ('usage_endpoints', 'hour', 'day', interval '1 day', interval '3 days', interval '30 days')
  ) AS plans (name, time_column, unit, period, ahead, kept) WHERE name = parent;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'keep_partitions does not know the table %', parent;
  END IF;
  made := 0;
  dropped := 0;
  waits := false;
  -- One replica at a time; the others do nothing.
  IF NOT pg_try_advisory_xact_lock(72707370, format('public.%I', parent)::regclass::oid::integer) THEN
    RETURN NEXT;
    RETURN;
  END IF;
  BEGIN
    -- Before the new ones: this locks the whole table, and nothing else is locked yet.
    FOR old IN
      SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = format('public.%I', parent)::regclass
        AND (regexp_match(pg_get_expr(relpartbound, inhrelid), 'TO \(''([^'']+)''\)'))[1]::timestamptz <= now() - plan.kept
    LOOP
      EXECUTE format('LOCK TABLE ONLY public.%I IN ACCESS EXCLUSIVE MODE', parent);
      EXECUTE format('DROP TABLE public.%I', old);
      dropped := dropped + 1;
    END LOOP;
    SELECT max((regexp_match(pg_get_expr(relpartbound, inhrelid), 'TO \(''([^'']+)''\)'))[1]::timestamptz) INTO starts
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = format('public.%I', parent)::regclass;
    starts := greatest(coalesce(starts, date_trunc(plan.unit, now())), date_trunc(plan.unit, now() - plan.kept));
    WHILE starts < now() + plan.ahead LOOP
      ends := date_trunc(plan.unit, starts) + plan.period;
      EXECUTE format('SELECT count(*) FROM (SELECT FROM public.%I WHERE %I >= %L AND %2$I < %4$L LIMIT %5$s) AS stray',
        parent || '_default', plan.time_column, starts, ends, most_moved + 1) INTO stray;
      IF stray <= most_moved THEN
        made_name := parent || to_char(starts, '"_"YYYYMMDD');
        EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL)', made_name, parent);
        EXECUTE format('LOCK TABLE ONLY public.%I IN SHARE UPDATE EXCLUSIVE MODE', parent);
        EXECUTE format('LOCK TABLE public.%I IN ACCESS EXCLUSIVE MODE', parent || '_default');
        EXECUTE format('WITH moved AS (DELETE FROM public.%I WHERE %I >= %L AND %2$I < %4$L RETURNING *) INSERT INTO public.%5$I SELECT * FROM moved',
          parent || '_default', plan.time_column, starts, ends, made_name);
        EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', parent, made_name, starts, ends);
        made := made + 1;
      END IF;
      starts := ends;
    END LOOP;
  EXCEPTION WHEN lock_not_available THEN
    made := 0;
    dropped := 0;
    waits := true;
  END;
  RETURN NEXT;
END
$$;

SELECT "keep_partitions"('usage_counts');
SELECT "keep_partitions"('usage_hours');
SELECT "keep_partitions"('usage_addresses');
SELECT "keep_partitions"('usage_endpoints');
