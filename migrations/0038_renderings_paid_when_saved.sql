-- A rendering is paid for when its page is saved. What was reserved for pages that are not saved yet goes back.
WITH held AS (
  SELECT paid_by, count(*) AS credits FROM reserved_renderings WHERE paid_by IS NOT NULL GROUP BY paid_by
), credited AS (
  UPDATE accounts a SET credits = a.credits + held.credits FROM held WHERE a.id = held.paid_by AND a.credits IS NOT NULL
  RETURNING a.id, held.credits AS amount, a.credits AS balance
)
INSERT INTO credit_entries (account_id, amount, reason, balance) SELECT id, amount, 'refund', balance FROM credited;

UPDATE guest_accounts g SET usage = greatest(g.usage - held.credits, 0)
FROM (
  SELECT r.guest_account_id, h.usage_month, count(*) AS credits
  FROM reserved_renderings h JOIN reports r ON r.id = h.report_id WHERE h.usage_month IS NOT NULL GROUP BY 1, 2
) AS held
WHERE g.id = held.guest_account_id AND g.usage_month = held.usage_month;

DROP TABLE reserved_renderings;
