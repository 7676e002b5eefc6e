-- Credits that were taken for rendering pages which are not saved yet, to be given back for those that never are. Who has
-- unlimited credits reserves none.
CREATE TABLE reserved_renderings (
  report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
  url text COLLATE "C" NOT NULL,
  -- As in `checks`: the account whose credits were taken, and the month in which it counts as a guest's usage.
  paid_by uuid,
  usage_month date,
  PRIMARY KEY (report_id, url)
);
