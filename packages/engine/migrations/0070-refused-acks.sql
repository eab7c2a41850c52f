-- A server that answered for a version has not always taken it. `error` holds every remark about the node, also about
-- what was never sent to the server; `refused` is the server's own reason, and null where it took what it was sent.
alter table boot_ack add column refused text;
