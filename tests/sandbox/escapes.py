"""Programs that try to get out of the box, after what broke the boxes of others. Each defines `run()`."""

from typing import Final

HEADS: Final = {
    # The disk
    "reads a file": "def run(): return open(SECRET_FILE).read()",
    "lists the root": "import os\ndef run(): return os.listdir('/')",
    "reads a relative path upwards": "def run(): return open('../' * 20 + SECRET_FILE.lstrip('/')).read()",
    "writes a file": "def run():\n open(SECRET_FILE, 'w').write('gone')",
    "removes a file": "import os\ndef run(): os.remove(SECRET_FILE)",
    "makes a folder": "import os\ndef run(): os.mkdir(FOLDER + '/made')",
    "makes a link": "import os\ndef run(): os.symlink(SECRET_FILE, FOLDER + '/link')",
    "renames a file": "import os\ndef run(): os.rename(SECRET_FILE, SECRET_FILE + '.moved')",
    "walks by pathlib": "import pathlib\ndef run(): return [str(p) for p in pathlib.Path('/').rglob('*')]",
    "opens by os.open": "import os\ndef run(): return str(os.read(os.open(SECRET_FILE, 0), 100))",
    "opens by _io": "import _io\ndef run(): return _io.FileIO(SECRET_FILE).readall().decode()",
    "reads every descriptor": """
import os
def run():
    found = []
    for number in range(256):
        try:
            found.append(os.read(number, 1000).decode())
        except OSError:
            pass
    return found
""",
    "writes to every descriptor": """
import os
def run():
    for number in range(256):
        try:
            os.write(number, b'\\x00\\x00\\x00\\x02{}')
        except OSError:
            pass
""",
    "closes every descriptor": """
import os
def run():
    for number in range(256):
        try:
            os.close(number)
        except OSError:
            pass
""",
    "reads its own process": "def run(): return open('/proc/self/environ').read()",
    "loads code by its path": """
import importlib.util
def run():
    spec = importlib.util.spec_from_file_location('secret', SECRET_FILE)
    return spec.loader.get_data(SECRET_FILE).decode()
""",
    "reads through linecache": "import linecache\ndef run(): return linecache.getlines(SECRET_FILE)",
    "reads through tokenize": "import tokenize\ndef run(): return tokenize.open(SECRET_FILE).read()",
    "reads through configparser": """
import configparser
def run(): return configparser.ConfigParser().read(SECRET_FILE)
""",
    "reads by an XML entity": """
import xml.etree.ElementTree as tree
def run():
    return tree.fromstring(f'<!DOCTYPE a [<!ENTITY b SYSTEM "file://{SECRET_FILE}">]><a>&b;</a>').text
""",
    # Environment, processes, machine
    "reads the environment": "import os\ndef run(): return dict(os.environ)",
    "asks for a variable": "import os\ndef run(): return os.getenv('STEPWIRE_TEST_SECRET')",
    "reads the environment of posix": """
import posix
def run(): return {k.decode(): v.decode() for k, v in posix.environ.items()}
""",
    "starts a shell": "import os\ndef run(): return os.system('touch ' + FOLDER + '/made')",
    "starts a process": "import subprocess\ndef run(): return subprocess.check_output(['id'])",
    "starts a process by _posixsubprocess": "import _posixsubprocess as p\ndef run(): return dir(p)",
    "forks": "import os\ndef run(): return os.fork()",
    "replaces its process": "import os\ndef run(): os.execv('/bin/sh', ['sh', '-c', 'id'])",
    "spawns": "import os\ndef run(): return os.posix_spawn('/bin/sh', ['sh'], {})",
    "opens a pipe to a shell": "import os\ndef run(): return os.popen('id').read()",
    "kills": "import os, signal\ndef run(): os.kill(os.getppid(), 9)",
    "kills everybody": "import os\ndef run(): os.kill(-1, 9)",
    "starts a thread": "import threading\ndef run(): threading.Thread(target=print).start()",
    "starts a thread by _thread": "import _thread\ndef run(): _thread.start_new_thread(print, ())",
    "calls into C": "import ctypes\ndef run(): return ctypes.CDLL(None).system(b'id')",
    "maps memory": "import mmap\ndef run(): return mmap.mmap(-1, 100)",
    "says who the user is": "import pwd, os\ndef run(): return pwd.getpwuid(os.getuid())",
    "leaves": "import os\ndef run(): os._exit(0)",
    "aborts": "import os\ndef run(): os.abort()",
    "quits": "def run(): raise SystemExit(0)",
    # The network
    "connects": "import socket\ndef run(): socket.create_connection(('127.0.0.1', PORT))",
    "connects by _socket": "import _socket\ndef run(): _socket.socket().connect(('127.0.0.1', PORT))",
    "fetches": "import urllib.request\ndef run(): return urllib.request.urlopen(f'http://127.0.0.1:{PORT}')",
    "opens a connection by asyncio": """
import asyncio
def run(): return asyncio.run(asyncio.open_connection('127.0.0.1', PORT))
""",
    "asks what the world gives": """
def run():
    import wit_world
    return [name for name in dir(wit_world)] + [str(getattr(wit_world, name)) for name in dir(wit_world)]
""",
    # Around Python's own fences
    "goes by subclasses": """
def run():
    for kind in ().__class__.__base__.__subclasses__():
        try:
            found = kind.__init__.__globals__.get('sys') or kind.__init__.__globals__.get('os')
        except AttributeError:
            continue
        if found is not None and getattr(found, 'modules', None) and 'os' in found.modules:
            return found.modules['os'].listdir('/')
""",
    "walks up the frames": """
import sys
def run():
    frame, found = sys._getframe(), []
    while frame is not None:
        found += [str(value)[:200] for value in frame.f_globals.values()]
        frame = frame.f_back
    return found
""",
    "goes through what the collector knows": """
import gc
def run(): return [str(one)[:100] for one in gc.get_objects() if isinstance(one, dict)][:500]
""",
    "makes builtin modules anew": """
import _imp, sys, types
def run():
    spec = types.SimpleNamespace(name='posix', loader=None, origin=None, submodule_search_locations=None)
    sys.modules.pop('posix', None)
    return _imp.create_builtin(spec).listdir('/')
""",
    "runs made-up bytecode": """
def run():
    def inner(): pass
    inner.__code__ = inner.__code__.replace(co_code=bytes(range(256)) * 4, co_stacksize=1)
    return inner()
""",
    "takes the guest's functions": """
import sys
def run():
    guest = sys.modules['guest']
    guest._written = lambda value, what: '{"__import__": "os"}, not JSON'
    return 1
""",
    "takes the guest's error": """
import sys
def run():
    sys.modules['guest']._told = lambda error: '\\x00' * 1000
    raise ValueError
""",
    "has JSON lie": "import json\ndef run():\n json.dumps = lambda *a, **k: 'NaN'\n return 1",
    "raises what cannot be shown": """
class Evil(BaseException):
    def __str__(self): raise Evil
    __repr__ = __str__
def run(): raise Evil
""",
    "formats its way through attributes": """
import json
def run(): return "{0.__globals__[sys].modules[os].environ}".format(json.dumps)
""",
    "asks an error for its object": """
def run():
    try:
        print.nothing_of_the_kind
    except AttributeError as error:
        return str(error.obj.__self__.__import__('os').listdir('/'))
""",
    "takes frames out of a traceback": """
def run():
    found = []
    try:
        1 / 0
    except ZeroDivisionError as error:
        frame = error.__traceback__.tb_frame
        while frame.f_back is not None:
            frame = frame.f_back
            found.append([str(one)[:200] for one in frame.f_builtins.values()])
        found.append(frame.f_builtins['open'](SECRET_FILE).read())
    return found
""",
    "takes the frame of a generator": """
def run():
    made = (made.gi_frame for _ in [0])
    frame = next(made)
    return frame.f_back.f_back.f_globals['__builtins__']['open'](SECRET_FILE).read()
""",
    "raises a group of errors that lies": """
class Lying(ExceptionGroup):
    def split(self, kind): return ExceptionGroup('a', [OSError(open)]), None
def run():
    try:
        raise Lying('a', [ValueError()])
    except* OSError as caught:
        return caught.exceptions[0].args[0](SECRET_FILE).read()
""",
    "unpickles a program": """
import pickle
class Shell:
    def __reduce__(self):
        import os
        return os.system, ('touch ' + FOLDER + '/made',)
def run(): return pickle.loads(pickle.dumps(Shell()))
""",
    "imports by its own finder": """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        from importlib.util import spec_from_file_location
        return spec_from_file_location(name, SECRET_FILE)
def run():
    sys.meta_path.insert(0, Finder())
    import secret_of_the_host
    return str(secret_of_the_host)
""",
    "puts a folder of the host on the path": """
import sys
def run():
    sys.path[:0] = ['/', FOLDER, '/usr/lib/python3']
    import secret
    return str(secret)
""",
    "leaves work for when it is over": """
import atexit
class Last:
    def __del__(self): open(FOLDER + '/made', 'w').write('x')
def run():
    global last
    last = Last()
    atexit.register(lambda: open(FOLDER + '/made', 'w').write('x'))
    return 'done'
""",
    "traces the guest": """
import sys
def run():
    found = []
    sys.settrace(lambda frame, event, arg: found.append(str(frame.f_globals)[:500]))
    import sys as _
    call_tool('echo', text='x')
    sys.settrace(None)
    return found
""",
    "asks to be debugged": "def run(): breakpoint()",
    "reads what was typed": "import sys\ndef run(): return [input(), sys.stdin.read()]",
    "takes what is free already": """
def run():
    held = bytearray(64)
    class Index:
        def __index__(self):
            held.clear()
            return 1
    view = memoryview(held)
    try:
        view.release()
        held[Index()] = 7
    finally:
        found = [bytes(bytearray(1024)) for _ in range(100)]
    return str(found)
""",
    "lies about the length of a buffer": """
class Long:
    def __buffer__(self, flags): return memoryview(b'x' * 10)
    def __len__(self): return 2**31
def run():
    import struct
    return [str(bytes(memoryview(Long()))), struct.unpack_from('1000s', Long())]
""",
    "listens to what is audited": """
import sys
def run():
    found = []
    sys.addaudithook(lambda event, given: found.append([event, str(given)]))
    open(SECRET_FILE)
    return found
""",
    "calls the system of WebAssembly": """
import sys
def run():
    import wit_world, importlib
    found = []
    runtime = 'componentize_py_runtime'
    for name in ('wasi', 'wasi_snapshot_preview1', runtime, 'componentize_py_types', '_wasi'):
        try:
            module = importlib.import_module(name)
            found.append([str(getattr(module, one)) for one in dir(module)])
        except ImportError:
            pass
    return [found, sys.platform, str(sys.builtin_module_names)]
""",
    "calls a tool that was not granted": "def run(): return call_tool('shell', command='id')",
    "calls a tool with what is no JSON": "import wit_world as w\ndef run(): return w.call_tool('echo', '{[')",
    "calls a tool with a list": "import wit_world\ndef run(): return wit_world.call_tool('echo', '[1]')",
    "imitates the host": """
import wit_world
def run():
    for _ in range(100):
        wit_world.write_line('{"said": "gave", "json": "1"}\\x00\\x00\\x00\\x01')
    return 'told'
""",
    # Using everything up
    "loops": "def run():\n while True: pass",
    "loops and holds on": """
def run():
    while True:
        try:
            while True: pass
        except BaseException:
            pass
""",
    "sleeps": "import time\ndef run(): time.sleep(1000)",
    "fills memory": "def run():\n held = []\n while True: held.append(bytearray(2**20))",
    "asks for all memory at once": "def run(): return len(bytearray(2**31))",
    "unpacks a bomb": """
import zlib
def run():
    packed = zlib.compress(bytes(2**20))
    for _ in range(40): packed += packed
    return len(packed)
""",
    "computes a huge number": "def run(): return str(9 ** 9 ** 9)",
    "matches without end": "import re\ndef run(): return bool(re.match('(a+)+$', 'a' * 60 + 'b'))",
    "goes down without end": "import sys\ndef run():\n sys.setrecursionlimit(2**30)\n return run()",
    "prints without end": "def run():\n while True: print('x' * 10_000)",
    "gives a gigabyte": "def run(): return 'x' * 2**30",
    "gives what is nested without end": "def run():\n a = []\n for _ in range(10**6): a = [a]\n return a",
    "calls tools without end": "def run():\n while True: call_tool('echo', text='x')",
}
