import { createServer } from 'node:http';

/** The baseline: Node's own server, which reads the request and responds with N bytes to `/N`. */
const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    const body = 'x'.repeat(Number(request.url?.slice(1)));
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
    response.end(body);
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('listening\n'));
