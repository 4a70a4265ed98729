/* Times ODE's quickstep on a scene, for bench/maximal.py. Built by it: cc -O2 quickstep.c -lode -lm

       quickstep FILE ITERATIONS STEPS

   A scene is lines of a word and numbers, all poses those of the start, links numbered from 1 in their order, 0 the world:
     world     h erp cfm layer, gravity (3)
     link      mass, inertia xx yy zz xy xz yz in the link's axes, centre of mass (3), quaternion (4)
     hinge, slide, universal, ball
               link, parent, anchor (3), first axis (3), last axis (3), lower and upper limit from here, dry friction
     plane, sphere, capsule, cylinder, box
               link, sizes (3: radius and half lengths as in MJCF), place in the link's axes from its centre of mass (3),
               quaternion (4), friction, type and affinity masks
     exclude   two links
   Prints one line of JSON: seconds per step and of collisions in it, the worst distance between points that a joint holds together,
   contacts and bodies. */
#include <math.h>
#include <ode/ode.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_NUMBERS = 16, MOST_CONTACTS = 8 };

typedef struct {
    dBodyID link, parent;
    dVector3 in_link, in_parent;
    /* Direction along which the link may move, in the parent's axes; zero for all joints but slides. */
    dVector3 along;
} Joint;

typedef struct {
    double friction;
} Surface;

static dWorldID world;
static dSpaceID space;
static dJointGroupID group;
static dBodyID *links;
static int link_count, *excluded, excluded_count, contact_count;
static Joint *joints;
static int joint_count;
static double h, erp, cfm, layer;

static void fail(const char *what, const char *detail) {
    fprintf(stderr, "quickstep: %s %s\n", what, detail);
    exit(1);
}

static void *grown(void *memory, int count, size_t size) {
    memory = realloc(memory, (size_t)(count + 1) * size);
    if (!memory) fail("no memory", "");
    return memory;
}

static dBodyID body(double index) {
    int i = (int)index;
    if (i < 0 || i > link_count) fail("unknown link", "");
    return i == 0 ? 0 : links[i - 1];
}

static void make_world(const double *x) {
    h = x[0], erp = x[1], cfm = x[2], layer = x[3];
    world = dWorldCreate();
    space = dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ);
    group = dJointGroupCreate(0);
    dWorldSetGravity(world, x[4], x[5], x[6]);
    dWorldSetERP(world, erp);
    dWorldSetCFM(world, cfm);
    dWorldSetContactSurfaceLayer(world, layer);
    dWorldSetQuickStepW(world, 1.0);
    dWorldSetAutoDisableFlag(world, 0);
}

static void make_link(const double *x) {
    dMass mass;
    dBodyID b = dBodyCreate(world);
    dMassSetParameters(&mass, x[0], 0, 0, 0, x[1], x[2], x[3], x[4], x[5], x[6]);
    dBodySetMass(b, &mass);
    dBodySetPosition(b, x[7], x[8], x[9]);
    dQuaternion q = {x[10], x[11], x[12], x[13]};
    dBodySetQuaternion(b, q);
    dBodySetGyroscopicMode(b, 1);
    links = grown(links, link_count, sizeof *links);
    links[link_count++] = b;
}

/* A point of the world in the axes of a body. */
static void to_local(dBodyID b, const double *p, dVector3 out) {
    if (b)
        dBodyGetPosRelPoint(b, p[0], p[1], p[2], out);
    else
        out[0] = p[0], out[1] = p[1], out[2] = p[2];
}

static void make_joint(const char *kind, const double *x) {
    const double *anchor = x + 2, *first = x + 5, *last = x + 8;
    Joint joint = {body(x[0]), body(x[1]), {0}, {0}, {0}};
    to_local(joint.link, anchor, joint.in_link);
    to_local(joint.parent, anchor, joint.in_parent);
    dJointID j;
    if (!strcmp(kind, "hinge")) {
        j = dJointCreateHinge(world, 0);
        dJointAttach(j, joint.link, joint.parent);
        dJointSetHingeAnchor(j, anchor[0], anchor[1], anchor[2]);
        dJointSetHingeAxis(j, first[0], first[1], first[2]);
        dJointSetHingeParam(j, dParamLoStop, x[11] < -4 ? -dInfinity : x[11]);
        dJointSetHingeParam(j, dParamHiStop, x[12] > 4 ? dInfinity : x[12]);
        dJointSetHingeParam(j, dParamFMax, x[13]);
    } else if (!strcmp(kind, "slide")) {
        j = dJointCreateSlider(world, 0);
        dJointAttach(j, joint.link, joint.parent);
        dJointSetSliderAxis(j, first[0], first[1], first[2]);
        dJointSetSliderParam(j, dParamLoStop, x[11] < -1e8 ? -dInfinity : x[11]);
        dJointSetSliderParam(j, dParamHiStop, x[12] > 1e8 ? dInfinity : x[12]);
        dJointSetSliderParam(j, dParamFMax, x[13]);
        if (joint.parent)
            dBodyVectorFromWorld(joint.parent, first[0], first[1], first[2], joint.along);
        else
            memcpy(joint.along, first, 3 * sizeof *first);
    } else if (!strcmp(kind, "universal")) {
        j = dJointCreateUniversal(world, 0);
        dJointAttach(j, joint.parent, joint.link);
        dJointSetUniversalAnchor(j, anchor[0], anchor[1], anchor[2]);
        dJointSetUniversalAxis1(j, first[0], first[1], first[2]);
        dJointSetUniversalAxis2(j, last[0], last[1], last[2]);
    } else {
        j = dJointCreateBall(world, 0);
        dJointAttach(j, joint.link, joint.parent);
        dJointSetBallAnchor(j, anchor[0], anchor[1], anchor[2]);
    }
    joints = grown(joints, joint_count, sizeof *joints);
    joints[joint_count++] = joint;
}

static void make_geom(const char *kind, const double *x) {
    const double *size = x + 1, *p = x + 4;
    dQuaternion q = {x[7], x[8], x[9], x[10]};
    dGeomID g;
    if (!strcmp(kind, "plane")) {
        dMatrix3 R;
        dQtoR(q, R);
        g = dCreatePlane(space, R[2], R[6], R[10], R[2] * p[0] + R[6] * p[1] + R[10] * p[2]);
    } else if (!strcmp(kind, "sphere"))
        g = dCreateSphere(space, size[0]);
    else if (!strcmp(kind, "capsule"))
        g = dCreateCapsule(space, size[0], 2 * size[1]);
    else if (!strcmp(kind, "cylinder"))
        g = dCreateCylinder(space, size[0], 2 * size[1]);
    else
        g = dCreateBox(space, 2 * size[0], 2 * size[1], 2 * size[2]);
    dBodyID b = body(x[0]);
    if (b) {
        dGeomSetBody(g, b);
        dGeomSetOffsetPosition(g, p[0], p[1], p[2]);
        dGeomSetOffsetQuaternion(g, q);
    } else if (strcmp(kind, "plane")) {
        dGeomSetPosition(g, p[0], p[1], p[2]);
        dGeomSetQuaternion(g, q);
    }
    Surface *surface = grown(0, 0, sizeof *surface);
    surface->friction = x[11];
    dGeomSetData(g, surface);
    dGeomSetCategoryBits(g, (unsigned long)x[12]);
    dGeomSetCollideBits(g, (unsigned long)x[13]);
}

static void read_scene(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot open", path);
    char line[2048], kind[16];
    while (fgets(line, sizeof line, file)) {
        double x[MOST_NUMBERS] = {0};
        int used, n = 0;
        if (sscanf(line, "%15s%n", kind, &used) != 1) continue;
        for (char *at = line + used, *end; n < MOST_NUMBERS; at = end) {
            x[n] = strtod(at, &end);
            if (end == at) break;
            n++;
        }
        if (!strcmp(kind, "world")) {
            make_world(x);
            continue;
        }
        if (!world) fail("the first line must be", "world");
        if (!strcmp(kind, "link"))
            make_link(x);
        else if (!strcmp(kind, "exclude")) {
            excluded = grown(excluded, 2 * excluded_count + 1, sizeof *excluded);
            excluded[2 * excluded_count] = (int)x[0];
            excluded[2 * excluded_count++ + 1] = (int)x[1];
        } else if (strstr("hinge slide universal ball", kind))
            make_joint(kind, x);
        else if (strstr("plane sphere capsule cylinder box", kind))
            make_geom(kind, x);
        else
            fail("unknown word", kind);
    }
    fclose(file);
}

static int is_excluded(dBodyID a, dBodyID b) {
    for (int k = 0; k < excluded_count; k++) {
        dBodyID c = body(excluded[2 * k]), d = body(excluded[2 * k + 1]);
        if ((a == c && b == d) || (a == d && b == c)) return 1;
    }
    return 0;
}

static void collide(void *unused, dGeomID g1, dGeomID g2) {
    (void)unused;
    dBodyID a = dGeomGetBody(g1), b = dGeomGetBody(g2);
    if (a == b || (a && b && dAreConnectedExcluding(a, b, dJointTypeContact)) || is_excluded(a, b)) return;
    dContactGeom found[MOST_CONTACTS];
    int n = dCollide(g1, g2, MOST_CONTACTS, found, sizeof *found);
    Surface *s1 = dGeomGetData(g1), *s2 = dGeomGetData(g2);
    for (int k = 0; k < n; k++) {
        dContact contact;
        memset(&contact, 0, sizeof contact);
        contact.geom = found[k];
        contact.surface.mode = dContactApprox1;
        contact.surface.mu = fmax(s1->friction, s2->friction);
        dJointAttach(dJointCreateContact(world, group, &contact), a, b);
    }
    contact_count += n;
}

static double joint_error(void) {
    double worst = 0;
    for (int k = 0; k < joint_count; k++) {
        const Joint *j = &joints[k];
        dVector3 p, gap, q;
        dBodyGetRelPointPos(j->link, j->in_link[0], j->in_link[1], j->in_link[2], p);
        to_local(j->parent, p, q);
        for (int i = 0; i < 3; i++) gap[i] = q[i] - j->in_parent[i];
        double way = gap[0] * j->along[0] + gap[1] * j->along[1] + gap[2] * j->along[2];
        for (int i = 0; i < 3; i++) gap[i] -= way * j->along[i];
        worst = fmax(worst, sqrt(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]));
    }
    return worst;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean without the slowest twentieth: steps that something else on the machine interrupted. */
static double trimmed_mean(double *x, int n) {
    int kept = (n * 19 + 19) / 20;
    double sum = 0;
    qsort(x, (size_t)n, sizeof *x, compare);
    for (int i = 0; i < kept; i++) sum += x[i];
    return sum / kept;
}

static void say_nothing(int number, const char *text, va_list rest) {
    (void)number, (void)text, (void)rest;
}

int main(int count, char **words) {
    if (count != 4) fail("expected", "FILE ITERATIONS STEPS");
    int steps = atoi(words[3]);
    dInitODE2(0);
    /* Axes of a universal joint are set one after the other, and may coincide for a moment. */
    dSetMessageHandler(say_nothing);
    read_scene(words[1]);
    if (!world || steps < 1) fail("an empty scene or no steps:", words[1]);
    dWorldSetQuickStepNumIterations(world, atoi(words[2]));
    double *all = grown(0, steps, sizeof *all), *colliding = grown(0, steps, sizeof *colliding), error = 0;
    for (int k = 0; k < steps; k++) {
        double start = seconds();
        dSpaceCollide(space, 0, collide);
        double middle = seconds();
        dWorldQuickStep(world, h);
        dJointGroupEmpty(group);
        all[k] = seconds() - start;
        colliding[k] = middle - start;
        error = fmax(error, joint_error());
    }
    printf("{\"step\": %.9g, \"collide\": %.9g, \"joint_error\": %.6g, \"contacts\": %.6g, \"bodies\": %d}\n",
           trimmed_mean(all, steps), trimmed_mean(colliding, steps), error, (double)contact_count / steps, link_count);
    return 0;
}
