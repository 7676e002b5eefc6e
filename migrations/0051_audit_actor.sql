-- What an operator did to other accounts is listed by `audit --account`, too.
CREATE INDEX CONCURRENTLY audit_log_actor ON audit_log (actor_account_id, id) WHERE actor_account_id IS NOT NULL;
