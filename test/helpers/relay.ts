import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards connections to a port of this machine, until they are cut. */
export async function startRelay(port: number) {
  const sockets = new Set<Socket>();
  let isDown = false;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => sockets.delete(socket));
      socket.pipe(other);
    }
    if (isDown) cut();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setDown(next: boolean): void {
      isDown = next;
      if (isDown) cut();
    },
    /** Lets open connections hang, as on a computer that slept, and accepts no others. */
    freeze(): void {
      isDown = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    async stop(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await closed;
    },
  };
}
