-- One login or journey of an account is tried at a time. A process that is killed holds up the others until then.
ALTER TABLE accounts ADD COLUMN trying_until timestamptz;
