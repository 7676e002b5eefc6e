-- Processes that send requests to hosts. Each says again and again that it lives; what it holds ends with it.
CREATE TABLE host_lessees (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- By this database's clock. Until then, and as long as its last requests count, its shares are its own.
  valid_until timestamptz NOT NULL
);

-- How much of what may be asked of a host each process may ask. Changed under the host's lock (src/store/host-shares.ts).
CREATE TABLE host_shares (
  host text NOT NULL,
  lessee_id bigint NOT NULL REFERENCES host_lessees ON DELETE CASCADE,
  -- Reports that the process asks for, and the requests per second that they would have in all.
  reports integer NOT NULL,
  wanted integer NOT NULL,
  -- Slots that it may have open at a time: the sum over the processes never exceeds the limit of the host.
  slots integer NOT NULL CHECK (slots >= 0),
  PRIMARY KEY (host, lessee_id)
);
CREATE INDEX host_shares_lessee ON host_shares (lessee_id);
